# By how much checkpoints make an epoch longer: a bar per way of writing them.
# SPDX-License-Identifier: BSD-3-Clause
of_excess = 1
load folder."/loading.gp"
