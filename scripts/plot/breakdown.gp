# What the execution time is made of: a stacked bar per message size, in percent, with the time itself above; a panel
# per series and set-up.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

# In the order of the columns, from the bottom of a bar to its top; light and dark in turn.
parts = "#17375e #d4e3f3 #3a6ea5 #f08a24"
part_names = "init compute test wait"
parts_of_total = 4
index_of(p, s) = (p - 1) * series + s - 1
slot(column_of_size) = sized ? log2(column(column_of_size)) : 0 # without message sizes there is one bar
stacked(k) = k == 1 ? column(2) : k == 2 ? column(2) + column(3) : \
    k == 3 ? column(2) + column(3) + column(4) : column(2) + column(3) + column(4) + column(5)

stats data using (log2($1)) name "size" nooutput
sized = exists("size_min")
from = found("size_min", 0)
to = found("size_max", 0)
room = plot_width

array filled[panels * series]
bars = 0
tests = 0
do for [i = 1:panels * series] {
    stats data index i - 1 using 2 name "post" nooutput
    stats data index i - 1 using 4 name "test" nooutput
    filled[i] = found("post_records", 0) > 0
    bars = bars + filled[i]
    tests = tests || found("test_max", 0) > 0
}

do for [k = 1:parts_of_total] {
    entry = word(part_names, k)
    style = 100 + k
    if (k != 3 || tests) {
        eval add_legend
    }
}
title_of(p, s) = bars == 1 && !named ? "" : in_lines(text_of("series", s).(named ? ", ".text_of("panel", p) : ""), 70, 3)
title_lines = 1
do for [p = 1:panels] { do for [s = 1:series] { title_lines = most(title_lines, count_lines(title_of(p, s))) } }
gap = bars > 1 || named ? 10 + line_height * (title_lines - 1) : 2
time_strip = 30 # points above the bars
box = 75 + time_strip
panels_height = bars * (gap + box + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": what the execution time is made of"
axis_title = sized ? "message size (bytes)" : ""
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height
top = 100.0 * box / (box - time_strip)
do for [p = 1:panels] {
    do for [s = 1:series] {
        if (filled[index_of(p, s) + 1]) {
            panel_top = panel_bottom + axis_height + gap
            panel_bottom = panel_top + box
            panel_text = title_of(p, s)
            y_title = "share of the time (%)"
            eval set_panel
            eval set_level_grid
            if (sized) {
                eval set_size_axis
            } else {
                set xrange [-3 : 3]
                unset xtics
            }
            set yrange [0 : top]
            set ytics in nomirror font normal offset 0.4,0 0, 20, 100
            set arrow from graph 0, first 100 to graph 1, first 100 nohead lw 0.5 lc rgb frame back
            plot for [k = parts_of_total:1:-1] data index index_of(p, s) using (slot(1)):(stacked(k)) \
                    with boxes fillcolor rgb word(parts, k) fillstyle solid 1 border lc rgb frame lw 0.3, \
                "" index index_of(p, s) using (slot(1)):(103):(time_name($6).($7 == 2 ? " x" : "")) \
                    with labels rotate by 90 left font small
        }
    }
}
unset multiplot
set output
