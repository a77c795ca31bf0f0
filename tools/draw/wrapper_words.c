/* The words for a wrapper's parameters, shapes and operations. */
#include "tools/draw/wrapper_words.h"

#include <stdio.h>
#include <string.h>

void wm_words_append(char *text, const char *separator, const char *word)
{
    size_t length = strlen(text);

    snprintf(text + length, WM_WORDS_BYTES - length, "%s%s", length > 0 ? separator : "", word);
}

const char *wm_words_type(const struct wm_param *param)
{
    static const char *const types[] = {
        [WM_PARAM_AXIS] = "axis",    [WM_PARAM_SHAPE] = "shape",        [WM_PARAM_BYTES] = "bytes",
        [WM_PARAM_COUNT] = "number", [WM_PARAM_CHOICE] = "choice",      [WM_PARAM_LABEL] = "name",
        [WM_PARAM_TIME] = "time",    [WM_PARAM_PERCENT] = "percentage",
    };

    return types[param->type];
}

bool wm_words_quoted(const struct wm_param *param)
{
    return param->type == WM_PARAM_SHAPE || param->type == WM_PARAM_CHOICE || param->type == WM_PARAM_LABEL;
}

void wm_words_shape(enum wm_shape_kind kind, char *text)
{
    text[0] = '\0';
    if (kind == WM_SHAPE_KNOMIAL)
        wm_words_append(text, "", "'binomial (k-nomial K)");
    else if (kind == WM_SHAPE_TREE)
        wm_words_append(text, "", "(tree …) (lambda …)");
    else
        wm_words_append(text, "", "'"), wm_words_append(text, "", wm_shape_name(kind));
    if (kind != WM_SHAPE_KNOMIAL && wm_shape_least(kind) > 0)
        wm_words_append(text, " (", wm_shape_name(kind)),
            wm_words_append(text, "", kind == WM_SHAPE_FLAT ? " W)" : " K)");
}

void wm_words_operations(uint32_t operations, char *text)
{
    text[0] = '\0';
    if (operations == WM_EVERY_OPERATION)
        wm_words_append(text, "", "any operation");
    else if (operations == WM_EVERY_COLLECTIVE)
        wm_words_append(text, "", "any collective operation");
    else
        for (int o = 0; o < WM_OPERATION_COUNT; o++)
            if (operations & WM_OPERATION_BIT(o))
                wm_words_append(text, ", ", wm_operation_name((enum wm_operation)o));
}
