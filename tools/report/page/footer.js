// Footer: how far this report can be trusted, and what it was made from.
function showFooter() {
  const pairs = [
    ['Events', `${countText(run.events)}, ${run.lost > 0 ? `${countText(run.lost)} lost (${shareText(run.lost, run.lost + run.events)})` : 'none lost'}`],
    ['Cost of recording', run.own_ns > 0 ? `${timeText(run.own_ns)} (${run.rank_time_ns > 0 ? `${((100 * run.own_ns) / run.rank_time_ns).toFixed(2)} % of rank time` : ''}), an estimate` : 'not known'],
    ['Clock', `${run.clock === 'tsc' ? 'time stamp counter' : 'CLOCK_MONOTONIC'}, ${run.several_clocks ? 'several machines' : 'one machine'}; error ${ERROR_NS > 0 ? `at most ± ${timeText(ERROR_NS)}` : 'not known'}`],
    ['Residual of all totals', `${timeText(run.residual_ns ?? 0)}; of critical paths ${timeText(run.path_residual_ns ?? 0)}`],
    ['Map', report.map ? `${(report.map.file ?? 'without a name').split('/').pop()}, FNV-1a ${run.map_hash ?? 'not known'}` : 'none'],
    ['Versions', `report ${report.waymark ?? '?'}; trace ${(run.versions ?? []).join(', ') || '?'}`],
    ['Critical paths', report.critical?.instances > 0 ? `${countText(report.critical.instances)} calls; the last to arrive was on it in ${shareText(report.critical.last_on, report.critical.instances)}` : 'not traced'],
    ['Left out', [run.incomplete > 0 ? `${numberText(run.incomplete, 'incomplete call')}` : '', run.unmatched > 0 ? numberText(run.unmatched, 'unmatched message') : '', run.unknown > 0 ? numberText(run.unknown, 'unknown record') : ''].filter(Boolean).join(', ') || 'nothing'],
  ];
  const warnings = report.warnings ?? [];
  get('footer').replaceChildren(
    make('dl', {}, pairs.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', { class: 'num' }, value)))),
    warnings.length ? make('div', {}, make('h3', {}, numberText(warnings.length, 'warning')), make('ul', {}, warnings.map((text) => make('li', {}, text)))) : '',
    make('p', {}, 'Late, inside, transfer, work and overhead add up to the time in calls without rest; they are sums over ranks. Times between ranks carry the clocks’ error where ± stands.'),
  );
}
