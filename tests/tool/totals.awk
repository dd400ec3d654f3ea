# A line of a record with its samples of T and of all its parts, of the slowest rank and in the mean, times f; and those of
# W, which are in T, times `work` where it is given.
# SPDX-License-Identifier: BSD-3-Clause
function scale(list, f,    a, n, k, text) {
    n = split(list, a, ",")
    for (k = 1; k <= n; k++)
        text = text (k > 1 ? "," : "") (a[k] == "null" ? "null" : sprintf("%.12g", a[k] * f))
    return text
}
# All samples of these names.
function times(line, names, f,    of, i, before, from, rest, n, m) {
    m = split(names, of, " ")
    for (i = 1; i <= m; i++) {
        before = "\"" of[i] "_seconds\":{\"max\":["
        from = index(line, before)
        if (!from)
            continue
        from += length(before)
        rest = substr(line, from)
        n = index(rest, "]") - 1
        line = substr(line, 1, from - 1) scale(substr(rest, 1, n), f) "],\"mean\":["
        rest = substr(rest, n + length("],\"mean\":[") + 1)
        n = index(rest, "]") - 1
        line = line scale(substr(rest, 1, n), f) substr(rest, n + 1)
    }
    return line
}
function total(line, f, work) {
    line = times(line, "total init test wait inner_compute", f)
    return work ? times(line, "compute", work) : line
}
# What comes behind `before`, up to a character of `ends`.
function behind(line, before, ends,    from) {
    from = index(line, before)
    line = from ? substr(line, from + length(before)) : ""
    match(line, "[" ends "]")
    return substr(line, 1, RSTART - 1)
}
function put(line, before, old, new,    from) {
    from = index(line, before)
    return from ? substr(line, 1, from + length(before) - 1) new substr(line, from + length(before) + length(old)) : line
}
# Scales a stored summary; and what is made of the medians of T, but for intervals and means over ranks.
function summary(line, name, f,    before, old, a, n, i, new) {
    before = name "\":{\"median\":"
    old = behind(line, before, "}")
    n = split(old, a, ",")
    for (i = 1; i <= n; i++) {
        if (a[i] !~ /outliers/ && match(a[i], /[^:]*$/))
            a[i] = substr(a[i], 1, RSTART - 1) scale(substr(a[i], RSTART), f)
        new = new (i > 1 ? "," : "") a[i]
    }
    return put(line, before, old, new)
}
function median(line, name) { return behind(line, "\"" name "_seconds\":{\"median\":", ",") + 0 }
function value(line, name, x,    before, old) {
    before = "\"" name "\":{\"value\":"
    old = behind(line, before, ",")
    return old == "null" ? line : put(line, before, old, sprintf("%.12g", x))
}
function follow(line,    t, w, c, b) {
    t = median(line, "total"); w = median(line, "compute"); c = median(line, "comm"); b = median(line, "blocking")
    if (!c || !w || !b || !t)
        return line
    line = value(line, "hidden_fraction", 1 - (t - w) / c)
    line = value(line, "overlap_ratio", (w + c - t) / (w < c ? w : c))
    line = value(line, "efficiency_vs_blocking", 1 - (t - w) / b)
    return value(line, "speedup_vs_blocking", (w + b) / t)
}
