# Bars of epochs, one per series, a panel per cell: a step by the order of its samples, and in it the wait for them.
# excess.gp draws by it, too: what an epoch takes more, in percent, with the time in checkpoints across the bar.
# SPDX-License-Identifier: BSD-3-Clause
#
# Lines of data: place, value, its interval, the wait or the time in checkpoints, and utilisation and hits, or the time in
# copies; last the status.
load folder."/common.gp"

excess = exists("of_excess")
index_of(p, s) = (p - 1) * series + s - 1
status_of = excess ? 7 : 8
bar = 0.6

parts = ""
do for [s = 1:series] {
    parts = parts." ".colour(s)
    entry = text_of("series", s)
    style = 100 + s
    eval add_legend
}
eval reset_axes
stats data using (column(status_of) == 2 ? 1 : NaN) name "bad" nooutput
if (found("bad_records", 0) > 0) {
    entry = crosses
    style = 31
    eval add_legend
}
gap = named ? name_height : 2
box = 100
panels_height = panels * (gap + box + 4)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.(excess ? ": what checkpoints cost, by who writes them" : ": a step, by the order of its samples")
axis_title = ""
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - 4
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    eval reset_axes
    stats data index first:last using 4 name "highs" nooutput
    stats data index first:last using 3 name "lows" nooutput
    stats data index first:last using 5 name "parts" nooutput
    greatest = most(found("highs_max", 1e-6), found("parts_max", 1e-6))
    factor = excess ? 1 : unit_factor(0.5 * greatest)
    panel_top = panel_bottom + 4 + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = excess ? "longer (%)" : sprintf("time of a step (%s)", unit_name(0.5 * greatest))
    eval set_panel
    set xrange [0.4 : series + 0.6]
    set yrange [fewest(0, 1.1 * factor * found("lows_min", 0)) : 1.3 * factor * greatest]
    set xtics ("" -1) out nomirror
    set ytics in nomirror font normal offset 0.4,0 autofreq
    set format y "%g"
    eval set_level_grid
    plot for [s = 1:series] data index index_of(p, s) using 1:(column(status_of) == 2 ? NaN : factor * $2):(bar) \
            with boxes fillcolor rgb colour(s) fillstyle solid 1 border lc rgb frame lw 0.3, \
        for [s = 1:series] "" index index_of(p, s) \
            using 1:(excess || column(status_of) == 2 ? NaN : factor * $2):($1 - 0.5 * bar):($1 + 0.5 * bar): \
            (factor * ($2 - $5)):(factor * $2) \
            with boxxyerror fillcolor rgb "#ffffff" fillstyle transparent solid 0.6 border lc rgb frame lw 0.3, \
        for [s = 1:series] "" index index_of(p, s) using ($1 - 0.55 * bar):(excess ? $5 : NaN):(1.1 * bar):(0) \
            with vectors nohead lw 0.8 lc rgb "#000000", \
        for [s = 1:series] "" index index_of(p, s) using ($1 - 0.55 * bar):(excess ? $6 : NaN):(1.1 * bar):(0) \
            with vectors nohead lw 0.8 dt 3 lc rgb "#000000", \
        for [s = 1:series] "" index index_of(p, s) \
            using 1:(column(status_of) < 2 && $4 > $3 ? factor * $3 : NaN):(0):(factor * ($4 - $3)) \
            with vectors heads size graph 0.008,90 nofilled lw 0.6 lc rgb grey, \
        for [s = 1:series] "" index index_of(p, s) using 1:(factor * most($2, $4) + 0.03 * factor * greatest): \
            (column(status_of) == 2 ? "" : excess ? sprintf("%+.1f %%", $2) : \
            sprintf("%s, hits %.0f %%, AU %.0f %%", time_name($2), $7, $6)) with labels offset 0,0.3 font small, \
        for [s = 1:series] "" index index_of(p, s) \
            using 1:(column(status_of) == 2 ? 0.05 * factor * greatest : NaN) with points pt 2 ps cross lc rgb colour(s)
    undefine highs_*
    undefine lows_*
    undefine parts_*
}
unset multiplot
set output
