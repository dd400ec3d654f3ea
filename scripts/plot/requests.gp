# What requests waited for their first token and for each further one: a bar per scheme at the median, a line up to the
# 99th percentile with a point at the 90th.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

index_of(p, s) = (p - 1) * series + s - 1
bar = 0.8 / series
place(n, s) = n + bar * (s - 0.5 * (series + 1))
of_first(place, value) = place < 2.5 ? value : NaN
of_further(place, value) = place > 2.5 ? value : NaN

parts = ""
do for [s = 1:series] {
    parts = parts." ".colour(s)
    entry = text_of("series", s)
    style = 100 + s
    eval add_legend
}
gap = named ? name_height : 4
box = 75
names_height = 14
panels_height = panels * (gap + box + names_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": time to the first token, and for each further one"
axis_title = ""
eval draw_around

panel_bottom = panels_from - names_height
do for [p = 1:panels] {
    first = index_of(p, 1)
    last = index_of(p, series)
    panel_top = panel_bottom + names_height + gap
    panel_bottom = panel_top + box
    do for [side = 1:2] {
        eval reset_axes
        stats data index first:last using ($5 == 2 ? NaN : side == 1 ? of_first($1, $4) : of_further($1, $4)) \
            name "highs" nooutput
        greatest = found("highs_max", 1e-6)
        factor = unit_factor(0.5 * greatest)
        undefine highs_*
        panel_left = side == 1 ? left_margin : left_margin + 0.72 * plot_width
        panel_right = side == 1 ? left_margin + 0.55 * plot_width : width - right_margin
        panel_text = side == 1 ? panel_name(p) : ""
        y_title = sprintf("time (%s)", unit_name(0.5 * greatest))
        eval set_panel
        set xrange [(side == 1 ? 0.4 : 2.4) : (side == 1 ? 2.6 : 3.6)]
        set yrange [0 : 1.1 * factor * greatest]
        set xtics ("" -1) scale 0 nomirror font small offset 0,0
        if (side == 1) { set xtics add ("first token" 1, "without queue" 2) } else { set xtics add ("each further" 3) }
        set ytics in nomirror font normal offset 0.4,0 autofreq
        set format y "%g"
        eval set_level_grid
        plot for [s = 1:series] data index index_of(p, s) using (place($1, s)):($5 == 2 ? NaN : factor * $2):(bar) \
                with boxes fillcolor rgb colour(s) fillstyle solid 1 border lc rgb frame lw 0.3, \
            for [s = 1:series] "" index index_of(p, s) \
                using (place($1, s)):(factor * $2):(0):($5 == 2 ? NaN : factor * ($4 - $2)) \
                with vectors nohead lw 0.6 lc rgb frame, \
            for [s = 1:series] "" index index_of(p, s) using (place($1, s)):($5 == 2 ? NaN : factor * $3) \
                with points pt 7 ps 0.6 * mark lc rgb frame, \
            for [s = 1:series] "" index index_of(p, s) using (place($1, s)):($5 == 2 ? 0.05 * factor * greatest : NaN) \
                with points pt 2 ps cross lc rgb grey
    }
}
unset multiplot
set output
