# What is simulated over the number of ranks, a box per problem: of a training the share of the time that computes, else
# the time; and what a publication found, as crosses with their names.
# SPDX-License-Identifier: BSD-3-Clause
#
# `ovl plot --chart ranks` sets besides: efficiency, whether it is that share; published, how many crosses there are.
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1
crosses_at = panels * series

stats data using (log2($1)) name "size" nooutput
from = size_min
to = size_max
eval add_series
if (published > 0) {
    entry = "published, measured"
    style = 31
    eval add_legend
}
gap = named ? name_height : 2
box = 90
panels_height = panels * (gap + box + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": simulated, not measured"
axis_title = "ranks"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
room = plot_width
panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    eval reset_axes
    stats data index index_of(p, 1):index_of(p, series) using (log($2)) name "times" nooutput
    stats data index index_of(p, 1):index_of(p, series) using (log($2)) name "lows" nooutput
    stats data index index_of(p, 1):index_of(p, series) using (log($2)) name "highs" nooutput
    eval set_times
    panel_top = panel_bottom + axis_height + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = efficiency ? "computing, of T (%)" : sprintf("T (%s)", unit_name(middle))
    eval set_panel
    eval set_size_axis
    set xtics ("" -1000) out nomirror font normal offset 0,numbers_up
    do for [k = int(ceil(from)) : int(to)] {
        if (k % size_step(from, to, room) == 0) { set xtics add (sprintf("%d", 2**k) k) } else { set xtics add ("" k 1) }
    }
    if (efficiency) {
        set yrange [0 : 105]
        set ytics in nomirror font normal offset 0.4,0 0, 20, 100
    } else {
        bottom = factor * least / 1.3
        top = factor * greatest * 1.3
        highest = top
        eval set_time_axis
    }
    column_of = efficiency ? 3 : 2
    by = efficiency ? 1 : factor
    plot for [s = 1:series] data index index_of(p, s) using (log2($1)):(by * column(column_of)) \
            with linespoints ls number_of("style", s), \
        data index crosses_at using (log2($1)):2 with points ls 31, \
        data index crosses_at using (log2($1)):2:3 with labels right offset -0.7,0 font small textcolor rgb grey
}
unset multiplot
set output
