// Verdict: the sentence that comes first, what ended the job, the findings and the efficiencies.
function diffOf(finding) {
  const edit = finding.edit;
  if (!edit) return '';
  const file = (report.map?.file ?? 'the map').split('/').pop();
  const side = (sign, cls, text) => text.split('\n').map((line) => make('div', { class: cls }, `${sign} ${line}`));
  return make(
    'div',
    { class: 'diff mono', role: 'group', 'aria-label': `the edit: instead of ${edit.before} write ${edit.after}` },
    make('div', { class: 'where' }, `${file}:${edit.line}:${edit.column ?? 1}`),
    side('−', 'before', edit.before),
    side('+', 'after', edit.after),
  );
}

function certainty(finding) {
  if (!finding.confidence && !finding.because) return '';
  const known = finding.confidence > 0;
  return make(
    'div',
    { class: 'certain' },
    known ? make('span', { class: 'meter', 'aria-hidden': 'true' }, make('i', { style: `width:${finding.confidence}%` })) : '',
    make('span', {}, [known ? `${finding.confidence} % sure` : '', finding.because].filter(Boolean).join(': ')),
  );
}

// Choose the finding's line, and its rank, and go to the map.
function showPlace(finding) {
  choose({ node: finding.node, operation: finding.operation ?? null, rank: finding.rank ?? null });
  get('map').scrollIntoView({ block: 'start' });
}

function findingCard(finding, index) {
  const hasPlace = nodes.has(finding.node);
  const title = finding.lost_ns > 0 ? `${timeText(finding.lost_ns)} lost` : finding.kind.replace(/-/g, ' ');
  const share = finding.lost_ns > 0 && run.rank_time_ns > 0 ? `${shareText(finding.lost_ns, run.rank_time_ns)} of rank time` : '';
  return make(
    'article',
    { class: 'card', 'aria-label': `finding ${index + 1}` },
    make('div', { class: 'lost num' }, title),
    make('div', { class: 'small soft num' }, [errorText(finding.error_ns).trim(), share, hasPlace ? finding.place : ''].filter(Boolean).join(' · ')),
    make('p', {}, finding.sentence),
    certainty(finding),
    diffOf(finding),
    hasPlace ? make('p', {}, make('button', { type: 'button', class: 'small', onclick: () => showPlace(finding) }, 'Show where')) : '',
  );
}

function stuckText(stuck) {
  const list = (ranks) => (ranks?.length ? ranks.slice(0, 16).join(', ') + (ranks.length > 16 ? `, … (${ranks.length})` : '') : 'none');
  const who = stuck.absent?.length ? `never came: ranks ${list(stuck.absent)}` : 'all ranks had come';
  return `${stuck.operation} #${stuck.sequence}, ${bytesText(stuck.bytes)}, since ${timeText(stuck.since_ns)}: inside were ranks ${list(stuck.inside)}; ${who}`;
}

function deathText(death) {
  const name = `rank ${death.rank} (${death.host || 'unknown host'}${death.pid ? `, process ${death.pid}` : ''})`;
  if (death.asks) return `${name}: waiting for the path of its next call, which the map was asked for`;
  return death.last ? `${name}: last record at ${timeText(death.last_ns)}, ${death.last}, ${death.inside ? 'inside a call' : 'outside of any traced call'}` : `${name}: no call was recorded`;
}

function alarm() {
  const deaths = report.deaths ?? [];
  const stuck = report.stuck ?? [];
  if (deaths.length + stuck.length === 0) return '';
  const sorted = [...deaths].sort((a, b) => Number(a.inside) - Number(b.inside));
  return make(
    'div',
    { class: 'alarm', role: 'alert' },
    make('h2', {}, `The job did not end by itself: ${numberText(deaths.length, 'rank')} never closed the trace`),
    stuck.length ? make('h3', {}, 'Calls in flight') : '',
    stuck.length ? make('ul', {}, stuck.map((s) => make('li', {}, stuckText(s), (s.pending ?? []).length ? make('ul', {}, s.pending.map((p) => make('li', {}, pendingText(p)))) : ''))) : '',
    make('h3', {}, 'Last words'),
    make('ul', {}, sorted.slice(0, 12).map((d) => make('li', {}, deathText(d)))),
    sorted.length > 12 ? make('p', { class: 'small' }, `and ${numberText(sorted.length - 12, 'more rank')}`) : '',
  );
}

function pendingText(pending) {
  const awaits = pending.receive ? `rank ${pending.destination} awaits a message from rank ${pending.source}` : `rank ${pending.source} awaits the end of its send to rank ${pending.destination}`;
  return `${awaits}: ${bytesText(pending.bytes)}, since ${timeText(pending.since_ns)}`;
}

function runFacts() {
  const hosts = new Set(run.hosts ?? []).size;
  const inside = lines.filter((line) => line.outermost).reduce((sum, line) => sum + line.time_ns, 0);
  const instances = lines.filter((line) => line.outermost).reduce((sum, line) => sum + line.calls, 0);
  const fact = (value, name) => make('li', {}, make('b', { class: 'num' }, value), ` ${name}`);
  return make(
    'ul',
    { class: 'facts' },
    run.program ? fact(run.program, '') : '',
    fact(countText(run.ranks), `ranks${hosts > 1 ? ` on ${hosts} hosts` : ''}${run.ranks_read < run.ranks ? `, ${run.ranks_read} read` : ''}`),
    fact(timeText(run.span_ns), 'traced'),
    fact(countText(instances), 'collective calls'),
    fact(shareText(inside, run.rank_time_ns), `of rank time in them (${timeText(inside)})`),
    fact(countText(run.events), 'events'),
  );
}

const GAUGES = [
  ['parallel', 'parallel efficiency', 'useful time over all time; point-to-point calls count as useful where they are not on record'],
  ['load_balance', 'load balance', 'mean over greatest useful time of ranks'],
  ['communication', 'communication', 'greatest useful time over run time'],
  ['serialisation', 'serialisation', 'what waits in chains leave'],
  ['transfer', 'transfer', 'what moving data leaves'],
];

function gauges() {
  const efficiency = report.efficiency ?? {};
  if (!GAUGES.some(([key]) => efficiency[key] > 0)) return '';
  const shown = GAUGES.map(([key, name, help]) => {
    const value = efficiency[key] ?? 0;
    const meter = make('div', { class: 'meter', 'aria-hidden': 'true' }, make('i', { style: `width:${Math.min(100, 100 * value)}%` }));
    return make('div', { class: 'gauge' }, make('b', { class: 'num' }, `${(100 * value).toFixed(1)} %`), meter, make('div', {}, name), make('div', { class: 'small soft' }, help));
  });
  return make('div', { class: 'gauges', role: 'group', 'aria-label': 'efficiencies of the run' }, shown);
}

// Networks that were made slower than they are: all times hold that.
function emulation() {
  const sentences = report.emulated ?? [];
  return sentences.length ? make('div', {}, sentences.map((text) => make('p', {}, text))) : '';
}

function showVerdict() {
  const findings = report.findings ?? [];
  get('verdict').replaceChildren(...[make('h1', {}, findings[0]?.sentence || 'Nothing stands out in this trace.'), runFacts(), emulation(), alarm()].filter(Boolean));
  document.title = `${run.program || 'Waymark'}: where the time went`;
  const costly = findings.filter((finding) => !['mismatch', 'death', 'nothing'].includes(finding.kind));
  if (costly.length === 0) return;
  openSection('findings', costly.length > 1 ? 'What to change, dearest first' : 'What to change', 'Seconds are rank time: summed over all ranks.', make('div', { class: 'cards' }, costly.map(findingCard)), gauges());
}
