# A ReFrame 4 check: how much of a large all-to-all does this system hide, and how long does it take?
# SPDX-License-Identifier: BSD-3-Clause
#
#   reframe -c scripts/ci/ovl_reframe.py -r [-S OvlIalltoall.bin=/opt/ovl/bin]
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class OvlIalltoall(rfm.RunOnlyRegressionTest):
    descr = 'overlap of MPI_Ialltoall'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    bin = variable(str, value='')  # the folder of the drivers; empty: from PATH
    ranks = variable(int, value=2)
    size = variable(int, value=262144)

    @run_before('run')
    def set_command(self):
        self.num_tasks = self.ranks
        self.executable = os.path.join(self.bin, 'ovl_ialltoall')
        self.executable_opts = ['-m', f'{self.size}:{self.size}', '--max-time', '5', '--json', 'ovl.jsonl']
        self.keep_files = ['ovl.jsonl']
        # Lower bounds and what a site knows of itself go here: (reference, low, high, unit).
        self.reference = {'*': {'hidden': (0, None, None, '%'), 'total': (0, None, None, 'us')}}

    def cells(self):
        with open(os.path.join(self.stagedir, 'ovl.jsonl')) as lines:
            records = [json.loads(line) for line in lines]
        return [r for r in records if r['record'] == 'cell'], [r for r in records if r['record'] == 'end']

    @sanity_function
    def is_complete(self):
        cells, ends = self.cells()
        return sn.all([
            sn.assert_eq([end['status'] for end in ends], ['complete']),
            sn.assert_eq(len(cells), 1),
            sn.assert_eq(cells[0]['ranks'], self.ranks),  # a launcher of another library starts each rank alone
            sn.assert_ne(cells[0]['status'], 'invalid'),
            sn.assert_true(cells[0]['validated']),
        ])

    @performance_function('%')
    def hidden(self):
        return 100 * self.cells()[0][0]['hidden_fraction']['value']

    @performance_function('us')
    def total(self):
        return 1e6 * self.cells()[0][0]['total_seconds']['median']
