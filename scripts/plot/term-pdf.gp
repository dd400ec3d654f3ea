# PDF: in its true size, to be put into a column as it is.
# SPDX-License-Identifier: BSD-3-Clause
font_scale = 0.75
numbers_up = 0.35
point_scale = 1
set terminal pdfcairo noenhanced size width / 72.0, height / 72.0 font "sans-serif,".sprintf("%g", 7 * font_scale) \
    fontscale 1 linewidth 2 pointscale 1 dashlength 1.5 rounded background "white"
