# Execution time against message size, a box for medium and one for large messages; above the points stands what DPU
# mode gains or loses against the host.
# SPDX-License-Identifier: BSD-3-Clause
load folder."/common.gp"

medium_to = 14 # 16 KiB
index_of(p, i) = (p - 1) * (series + 1) + i - 1
here(x) = log2(x) > from - 0.5 && log2(x) < to + 0.5

stats data using (log2($1)) name "size" nooutput
has_medium = size_min <= medium_to
has_large = size_max > medium_to
room = plot_width

# row_of has a word for each series: its row of percentages, 0 for none.
rows = 0
row_of = ""
invalid = 0
do for [s = 1:series] {
    row = 0
    do for [p = 1:panels] {
        stats data index index_of(p, s) using ($5 > -1000 ? 1 : 0) name "change" nooutput
        stats data index index_of(p, s) using ($6 == 2 ? 1 : 0) name "bad" nooutput
        row = row || found("change_max", 0) > 0
        invalid = invalid || found("bad_max", 0) > 0
    }
    rows = rows + row
    row_of = row_of.sprintf(" %d", row * rows)
}

eval add_series
eval add_reference
if (invalid) {
    entry = crosses
    style = 31
    eval add_legend
}
strip = 26.0
# Boxes say which sizes they have where there are two.
size_of(large) = has_medium + has_large < 2 ? "" : (large ? "large" : "medium").(named ? ": " : " messages")
title_of(p, large) = in_lines(size_of(large).text_of("panel", p), 70, 3)
title_lines = 1
do for [p = 1:panels] { title_lines = most(title_lines, count_lines(title_of(p, 0))) }
gap = strlen(title_of(1, 0)) > 0 ? 10 + line_height * (title_lines - 1) : 2
box = 82 + strip * rows
panels_height = panels * (has_medium + has_large) * (gap + box + axis_height)
eval set_height

load terminal
eval set_styles
set output output
set multiplot
title_text = benchmark.": communication and computation together"
axis_title = "message size (bytes)"
eval draw_around

panel_left = left_margin
panel_right = width - right_margin
panel_bottom = panels_from - axis_height
do for [p = 1:panels] {
    do for [large = !has_medium : has_large] {
        from = large ? most(size_min, medium_to + 1) : size_min
        to = large ? size_max : fewest(size_max, medium_to)
        first = index_of(p, 1)
        last = index_of(p, series + 1)
        eval reset_axes
        stats data index first:last using (here($1) ? log($2) : NaN) name "times" nooutput
        stats data index first:first + series - 1 using (here($1) ? log($3) : NaN) name "lows" nooutput
        stats data index first:first + series - 1 using (here($1) ? log($4) : NaN) name "highs" nooutput
        eval set_times
        bottom = 0.8 * least * factor
        highest = 1.25 * greatest * factor
        row_by = (highest / bottom)**(strip / (box - strip * rows))
        top = highest * row_by**rows

        panel_top = panel_bottom + axis_height + gap
        panel_bottom = panel_top + box
        panel_text = title_of(p, large)
        y_title = sprintf("time (%s)", unit_name(middle))
        eval set_panel
        eval set_size_axis
        eval set_time_axis
        if (rows > 0) {
            set arrow from graph 0, first highest to graph 1, first highest nohead lw 0.5 lc rgb frame back
        }
        plot data index index_of(p, series + 1) \
                using (here($1) ? log2($1) : NaN):($2 * factor) with linespoints ls 20, \
            for [s = 1:series] "" index index_of(p, s) \
                using (here($1) && $6 < 2 && $4 > $3 ? log2($1) + apart(s) : NaN): \
                ($3 * factor):(0):(($4 - $3) * factor) \
                with vectors heads size graph 0.008,90 nofilled lw 0.6 lc rgb colour(s), \
            for [s = 1:series] "" index index_of(p, s) \
                using (here($1) && $6 < 2 ? log2($1) + apart(s) : NaN):($2 * factor) \
                with linespoints ls number_of("style", s), \
            for [s = 1:series] "" index index_of(p, s) \
                using (here($1) && $6 == 2 ? log2($1) + apart(s) : NaN):($2 * factor) \
                with points pt 2 ps cross lc rgb colour(s), \
            for [s = 1:series] "" index index_of(p, s) \
                using (here($1) && $5 > -1000 ? log2($1) : NaN):(highest * row_by**(int(word(row_of, s)) - 0.95)): \
                (abs($5) < 0.5 ? "0 %" : sprintf("%+.0f %%", $5)) \
                with labels rotate by 90 left font small textcolor rgb colour(s)
    }
}
unset multiplot
set output
