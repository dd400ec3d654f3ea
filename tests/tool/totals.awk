# A line of a record with its samples of T and of all its parts, of the slowest rank and in the mean, times f; and those of
# W, which are in T, where it is told so.
# SPDX-License-Identifier: BSD-3-Clause
function scale(list, f,    a, n, k, text) {
    n = split(list, a, ",")
    for (k = 1; k <= n; k++)
        text = text (k > 1 ? "," : "") (a[k] == "null" ? "null" : sprintf("%.12g", a[k] * f))
    return text
}
function total(line, f, work,    names, i, before, from, rest, n, m) {
    m = split("total init test wait inner_compute" (work ? " compute" : ""), names, " ")
    for (i = 1; i <= m; i++) {
        before = "\"" names[i] "_seconds\":{\"max\":["
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
