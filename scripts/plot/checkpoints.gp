# Lanes of an epoch with checkpoints: a box per way of writing them.
# SPDX-License-Identifier: BSD-3-Clause
of_checkpoints = 1
load folder."/gantt.gp"
