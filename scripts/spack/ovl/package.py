# SPDX-License-Identifier: BSD-3-Clause
# A Spack recipe. Put its folder under packages/ of a repository of yours, and build this tree with it:
#
#   spack repo create my-repo && cp -r scripts/spack/ovl my-repo/packages/ && spack repo add my-repo
#   spack dev-build ovl@main
#
# A release needs `url` or a mirror: ovl@0.1.0 is what `make dist` makes.

from spack.package import *


class Ovl(MakefilePackage):
    """Benchmarks that measure how much of an MPI communication's time hides behind computation: one program for each
    non-blocking collective, and the ovl command, which shows, checks and draws their records."""

    license("BSD-3-Clause")

    version("main")
    version("0.1.0")

    variant("plot", default=True, description="gnuplot, which ovl plot runs")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("autoconf", type="build", when="@main")
    depends_on("mpi")
    depends_on("jansson@2.10:")
    depends_on("libmd")
    depends_on("hwloc@2:")
    depends_on("rdma-core")
    depends_on("openblas")
    depends_on("fftw@3")
    depends_on("gnuplot +cairo", type="run", when="+plot")
    depends_on("check", type="test")

    @property
    def settings(self):
        """What every make is told: the library's own wrapper around Spack's compiler."""
        return [f"prefix={self.prefix}", f"MPICC={self.spec['mpi'].mpicc}", f"CC={spack_cc}"]

    @property
    def build_targets(self):
        return ["all", *self.settings]

    @property
    def install_targets(self):
        return ["install", *self.settings]

    def check(self):
        make("tests", *self.settings)
        Executable("build/tests/unit")()
