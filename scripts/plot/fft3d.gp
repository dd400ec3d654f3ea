# A 3D transform, or a step, by each scheme: a group of bars per grid or model, against the blocking scheme; the computation alone dark, what
# of the communication was not hidden pale; above the bars the time and what overlapping gains or loses.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

none = 1000000 # no percentage: this one is what the others are compared with
# Blocking schemes stand first, in their own colour.
first(s) = text_of("series", s)[1:8] eq "Blocking"
before(s, kind) = sum [i = 1:s - 1] (first(i) == kind)
place(s) = first(s) ? before(s, 1) : before(series + 1, 1) + before(s, 0)
slot(p, s) = p + 0.8 * (place(s) - 0.5 * (series - 1)) / most(series, 2)
bar = 0.72 / most(series, 2)

# Intervals go no further than half above the highest bar.
greatest = 100.0
do for [i = 1:panels * series] {
    stats data index i - 1 using ($7 < 2 ? $1 : NaN) name "bar" nooutput
    stats data index i - 1 using ($7 < 2 ? fewest($3, 1.5 * $1) : NaN) name "high" nooutput
    greatest = most(greatest, most(found("bar_max", 100), found("high_max", 100)))
}

parts = colours
do for [k = 1:series] { do for [s = 1:series] { if (place(s) == k - 1) {
    entry = text_of("series", s); style = 100 + number_of("style", s); eval add_legend } } }
letters = int(1.0 * plot_width / panels / text_width("n"))
tick_lines = 1
do for [p = 1:panels] { tick_lines = most(tick_lines, count_lines(in_lines(text_of("tick", p), letters, 4))) }
box = 120
gap = 10
strip = 48 # points above the highest bar, for what stands there
panels_height = gap + box + axis_height + line_height * (tick_lines - 1)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.(benchmark eq "fft3d" ? ": there and back" : benchmark eq "serve" ? ": all requests" : ": a step").", by scheme"
axis_title = benchmark eq "train" || benchmark eq "serve" ? "model" : "grid"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_top = panels_from + gap
panel_bottom = panel_top + box
panel_text = ""
y_title = text_of("whole", 1) eq "Blocking" ? "time, blocking = 100 %" : "time (%)"
eval set_panel
top = greatest * box / (box - strip)
set xrange [0.5 : panels + 0.5]
set yrange [0 : top]
set xtics ("" -1000) out nomirror font normal offset 0,numbers_up
do for [p = 1:panels] { set xtics add (in_lines(text_of("tick", p), letters, 4) p) }
eval set_level_grid
set ytics in nomirror font normal offset 0.4,0 0, (greatest < 220 ? 20 : greatest < 550 ? 50 : 100 * ceil(greatest / 1000)), greatest
set arrow from graph 0, first 100 to graph 1, first 100 nohead lw 0.5 lc rgb frame back
step = 0.04 * top
# A text that would cross the line of 100 % stands on it.
over_line(y) = y < 100 && y + 42 * top / box > 100 ? 100 + 0.5 * step : y
plot for [i = 0:panels * series - 1] data index i \
        using (slot(i / series + 1, i % series + 1)):($7 < 2 ? $1 : NaN):(bar) with boxes \
        fillcolor rgb colour(i % series + 1) fillstyle transparent solid 0.35 border lc rgb frame lw 0.3, \
    for [i = 0:panels * series - 1] "" index i \
        using (slot(i / series + 1, i % series + 1)):($7 < 2 ? $4 : NaN):(bar) with boxes \
        fillcolor rgb colour(i % series + 1) fillstyle solid 1 border lc rgb frame lw 0.3, \
    for [i = 0:panels * series - 1] "" index i \
        using (slot(i / series + 1, i % series + 1)):($7 < 2 && $3 > $2 ? $2 : NaN):(0):(fewest($3, greatest) - $2) \
        with vectors heads size graph 0.008,90 nofilled lw 0.6 lc rgb frame, \
    for [i = 0:panels * series - 1] "" index i \
        using (slot(i / series + 1, i % series + 1) - 0.5 * bar):($7 < 2 ? $8 : NaN):(bar):(0) \
        with vectors nohead lw 1 lc rgb frame, \
    for [i = 0:panels * series - 1] "" index i \
        using (slot(i / series + 1, i % series + 1)):($7 == 2 ? step : NaN) with points pt 2 ps cross lc rgb grey, \
    for [i = 0:panels * series - 1] "" index i \
        using (slot(i / series + 1, i % series + 1)):($7 < 2 && $1 == $1 ? over_line(fewest($3, greatest) + step) : NaN): \
        (time_name($6).($5 == none ? "" : abs($5) < 0.5 ? ", 0 %" : sprintf(", %+.0f %%", $5))) \
        with labels rotate by 90 left font small textcolor rgb frame
unset multiplot
set output
