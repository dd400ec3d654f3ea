# Time of the communication alone and of the blocking call, a panel per set-up; a line where DPU mode begins to win.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, i) = (p - 1) * (series + 1) + i - 1

stats data using (log2($1)) name "size" nooutput
from = size_min
to = size_max
room = plot_width

invalid = 0
wire = 0
do for [p = 1:panels] {
    do for [s = 1:series] {
        stats data index index_of(p, s) using ($6 == 2 ? 1 : 0) name "bad" nooutput
        stats data index index_of(p, s) using 5 name "wire" nooutput
        invalid = invalid || found("bad_max", 0) > 0
        wire = wire || found("wire_max", 0) > 0
    }
}

eval add_series
eval add_reference
if (wire) {
    entry = "wire limit"
    style = 32
    eval add_legend
}
if (invalid) {
    entry = crosses
    style = 31
    eval add_legend
}
gap = named ? name_height : 2
box = 120
panels_height = panels * (gap + box + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": communication alone"
axis_title = "message size (bytes)"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series + 1)
    eval reset_axes
    stats data index first:last using (log($2)) name "times" nooutput
    stats data index first:last using (log($3)) name "lows" nooutput
    stats data index first:last using (log($4)) name "highs" nooutput
    eval set_times
    bottom = 0.7 * least * factor
    top = 1.4 * greatest * factor
    highest = top

    panel_top = panel_bottom + axis_height + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = sprintf("time (%s)", unit_name(middle))
    eval set_panel
    eval set_size_axis
    eval set_time_axis
    crossover = number_of("crossover", p)
    if (crossover > 0) {
        set arrow from first log2(crossover), graph 0 to first log2(crossover), graph 1 nohead \
            lw 0.8 dt (6,4) lc rgb grey
        set label sprintf(crossover < 1024 ? "%.0f" : crossover < 1048576 ? "%.3gK" : "%.3gM", \
            crossover < 1024 ? crossover : crossover < 1048576 ? crossover / 1024 : crossover / 1048576) \
            at first log2(crossover), graph 0.95 right offset -0.6,0 font small textcolor rgb grey
    }
    plot data index index_of(p, series + 1) using (log2($1)):($2 * factor) \
            with linespoints ls 20, \
        for [s = 1:series] "" index index_of(p, s) using (log2($1)):($5 * factor) with lines ls 32, \
        for [s = 1:series] "" index index_of(p, s) \
            using ($6 < 2 && $4 > $3 ? log2($1) + apart(s) : NaN):($3 * factor):(0):(($4 - $3) * factor) \
            with vectors heads size graph 0.008,90 nofilled lw 0.6 lc rgb colour(s), \
        for [s = 1:series] "" index index_of(p, s) using ($6 < 2 ? log2($1) + apart(s) : NaN):($2 * factor) \
            with linespoints ls number_of("style", s), \
        for [s = 1:series] "" index index_of(p, s) using ($6 == 2 ? log2($1) + apart(s) : NaN):($2 * factor) \
            with points pt 2 ps cross lc rgb colour(s)
}
unset multiplot
set output
