# Seconds of a step's operations by size class, and their sum: a group of bars per class, a bar per scheme; above a bar
# its time and how far it is from the host's.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1
bar = 0.8 / series
place(n, s) = n + bar * (s - 0.5 * (series + 1))
none = 1000000 # no percentage: this one is what the other is compared with
# "128 KiB to 16 MiB" in two lines, and how often it was called in a third, if all bars agree.
cut(name) = strlen(name) > 13 ? name[1:strstrt(name, " to ") - 1]."\n".name[strstrt(name, " to ") + 1:*] : name."\n"
class_text(name, calls) = cut(name).(calls < 0 ? "" : sprintf("\n%g call%s", calls, calls == 1 ? "" : "s"))

parts = ""
do for [s = 1:series] {
    parts = parts." ".colour(s)
    entry = text_of("series", s)
    style = 100 + s
    eval add_legend
}
gap = named ? name_height : 4
strip = 56 # points above the highest bar, for what stands there
box = 80 + strip
names_height = 31
panels_height = panels * (gap + box + names_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": its operations by size class"
axis_title = ""
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - names_height
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    eval reset_axes
    stats data index first:last using ($4 == 2 ? NaN : $2) name "highs" nooutput
    stats data index first:last using 1 name "places" nooutput
    greatest = found("highs_max", 1e-6)
    factor = unit_factor(0.5 * greatest)
    groups = found("places_max", 1)
    undefine highs_*
    undefine places_*
    panel_top = panel_bottom + names_height + gap
    panel_bottom = panel_top + box
    panel_text = panel_name(p)
    y_title = sprintf("time (%s)", unit_name(0.5 * greatest))
    eval set_panel
    top = factor * greatest * box / (box - strip)
    set xrange [0.4 : groups + 0.6]
    set yrange [0 : top]
    set xtics ("" -1) scale 0 nomirror font small offset 0,0
    set ytics in nomirror font normal offset 0.4,0 autofreq
    set format y "%g"
    eval set_level_grid
    set arrow 3 from groups - 0.5, graph 0 to groups - 0.5, graph 1 nohead dt (2,3) lw 0.5 lc rgb frame back
    plot for [s = 1:series] data index index_of(p, s) using (place($1, s)):($4 == 2 ? NaN : factor * $2):(bar) \
            with boxes fillcolor rgb colour(s) fillstyle solid 1 border lc rgb frame lw 0.3, \
        for [s = 1:series] "" index index_of(p, s) using (place($1, s)):($4 == 2 ? 0.04 * top : NaN) \
            with points pt 2 ps cross lc rgb grey, \
        for [s = 1:series] "" index index_of(p, s) using (place($1, s)):($4 == 2 ? NaN : factor * $2 + 0.02 * top): \
            (time_name($2).($3 != none ? sprintf(", %+.1f %%", $3) : "")) \
            with labels rotate by 90 left font small textcolor rgb frame, \
        for [s = 1:series] "" index index_of(p, s) using 1:(NaN):xticlabels(class_text(strcol(5), $6)) with points
}
unset multiplot
set output
