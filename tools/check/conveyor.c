/* waymark check: the routes of a conveyor's path, proven on one machine. */
#include <string.h>
#include "tools/check/check.h"

enum wm_check_outcome wm_check_conveyor(struct wm_check_figures *figures, const struct wm_site *site,
                                        const struct wm_path *path)
{
    struct wm_convey_design design;
    struct wm_network network = {0};
    enum wm_check_outcome outcome = WM_CHECK_REFUSED;
    struct wm_error *error = &figures->error;

    if (wm_convey_design_make(&design, path, &site->grid, error) == 0 &&
        wm_network_init(&network, &design, &site->grid, NULL, error) == 0) {
        outcome = wm_convey_prove(&figures->routes, &network) ? WM_CHECK_PROVEN : WM_CHECK_REFUTED;
        *error = figures->routes.error;
        if (error->code < 0 && error->line == 0)
            wm_error_place(error, NULL, path->rule_line, 0);
    }
    wm_network_release(&network);
    return outcome;
}
