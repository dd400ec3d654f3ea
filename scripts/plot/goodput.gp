# Goodput with failures over the steps from one checkpoint to the next, a panel per cell: what was measured as points, and
# what is expected as a line, per way of writing checkpoints; upright where Daly and Young would have them.
# SPDX-License-Identifier: BSD-3-Clause
#
# Lines of data: steps, percent and its interval, what it is (0 measured, 1 expected, 2 Daly's, 3 Young's), the status.
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1

eval add_series
eval reset_axes
stats data using ($6 == 2 ? 1 : NaN) name "bad" nooutput
if (found("bad_records", 0) > 0) {
    entry = crosses
    style = 31
    eval add_legend
}
gap = named ? name_height : 2
box = 100
panels_height = panels * (gap + box + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": goodput with failures"
axis_title = "steps between checkpoints"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    eval reset_axes
    stats data index first:last using ($5 < 2 ? $4 : NaN) name "highs" nooutput
    stats data index first:last using ($5 < 2 ? $3 : NaN) name "lows" nooutput
    stats data index first:last using 1 name "steps" nooutput
    panel_top = panel_bottom + axis_height + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = "goodput (%)"
    eval set_panel
    set logscale x
    set xrange [0.9 : 1.1 * most(found("steps_max", 2), 2)]
    set yrange [0 : 1.05 * most(found("highs_max", 1), 100)]
    set xtics out nomirror font normal offset 0,numbers_up autofreq
    set ytics in nomirror font normal offset 0.4,0 autofreq
    set format x "%g"
    set format y "%g"
    plot for [s = 1:series] data index index_of(p, s) using ($5 == 1 ? $1 : NaN):2 with lines ls number_of("style", s), \
        for [s = 1:series] "" index index_of(p, s) using ($5 == 2 ? $1 : NaN):(0):(0):(200) \
            with vectors nohead lw 0.6 lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) using ($5 == 3 ? $1 : NaN):(0):(0):(200) \
            with vectors nohead lw 0.6 dt 3 lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) using ($5 == 0 && $6 < 2 && $4 > $3 ? $1 : NaN):3:(0):($4 - $3) \
            with vectors heads size graph 0.008,90 nofilled lw 0.6 lc rgb grey, \
        for [s = 1:series] "" index index_of(p, s) using ($5 == 0 && $6 < 2 ? $1 : NaN):2 \
            with points ls number_of("style", s), \
        for [s = 1:series] "" index index_of(p, s) using ($5 == 0 && $6 == 2 ? $1 : NaN):2 \
            with points pt 2 ps cross lc rgb colour(s)
    undefine highs_*
    undefine lows_*
    undefine steps_*
}
unset multiplot
set output
