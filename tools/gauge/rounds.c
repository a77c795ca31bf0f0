/* Rounds of another machine, by the pace of all probes. */
#include "tools/gauge/rounds.h"

#include <math.h>
#include <string.h>
#include "tools/gauge/estimate.h"
#include "tools/gauge/probes.h"

/* By how much the pace of a usual round is off at most, if half of the rounds are no further off. */
static const double usual_off = 0.15;

/* What the round's probes took over what they take in most rounds; 1 where there are none. */
static double pace_of(const double *samples, const double *medians, int probes, int round)
{
    double paces[WM_GAUGE_PROBES_MAX];
    int count = 0;

    for (int i = 0; i < probes; i++)
        if (medians[i] > 0)
            paces[count++] = samples[i * WM_GAUGE_ROUNDS_MAX + round] / medians[i];
    return count > 0 ? wm_gauge_estimate(paces, count).value : 1;
}

void wm_gauge_find_usual(bool *usual, const double *samples, int probes, int rounds)
{
    double medians[WM_GAUGE_PROBES_MAX], off[WM_GAUGE_ROUNDS_MAX], room[WM_GAUGE_ROUNDS_MAX], most;

    for (int i = 0; i < probes; i++) {
        memcpy(room, &samples[i * WM_GAUGE_ROUNDS_MAX], sizeof room);
        medians[i] = wm_gauge_estimate(room, rounds).value;
    }
    for (int round = 0; round < rounds; round++)
        room[round] = off[round] = fabs(pace_of(samples, medians, probes, round) - 1);
    most = fmax(usual_off, wm_gauge_estimate(room, rounds).value);
    for (int round = 0; round < rounds; round++)
        usual[round] = off[round] <= most;
}
