# Builds ovl under build/; `make help` lists what can be asked for.
# SPDX-License-Identifier: BSD-3-Clause
#
#   B=build/openmpi MPICC=mpicc.openmpi   a second build beside the first
#   CC=clang                              another compiler, for the MPI wrapper too
#   CFLAGS='-O3 -march=native'            instead of -O2 -g
#   DEVELOPER=1                           more warnings, and each one an error
#   SANITIZE=address,undefined            or thread
#   prefix=/opt/ovl DESTDIR=...           where install puts things
#   DEPS=no                               install no packages, name them
#   SUITE='unit mpi' ONLY=stats           a part of `make check`
#   VALGRIND=1                            with `make check`: each program of ours under valgrind, slowly
#   V=1                                   show each command

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
export LC_ALL := C.UTF-8

B ?= build
VERSION := $(shell sed -n 's/^AC_INIT(\[ovl\], \[\(.*\)\])$$/\1/p' configure.ac)
CFLAGS ?= -O2 -g
Q := $(if $(V),,@)
say = $(if $(V),:,printf '  %-8s %s\n')

# Stamps: a file that is rewritten, and so makes what depends on it old, only when the text given changes.
stamp = $(Q)mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(strip $(1)))' | cmp -s - $@ || \
	printf '%s\n' '$(subst ','\'',$(strip $(1)))' >$@


## Configuration: $(B)/config.mk, made by configure and read back by make

given = $(if $(filter default undefined,$(origin $(1))),,$($(1)))
ifneq ($(call given,CC),)
export MPICH_CC := $(CC)
export OMPI_CC := $(CC)
export I_MPI_CC := $(CC)
endif

config_vars := CC MPICC MPIEXEC PKG_CONFIG PKG_CONFIG_PATH CPPFLAGS LDFLAGS CONFIGURE_ARGS \
	$(foreach l,JANSSON HWLOC MD VERBS CBLAS FFTW CHECK,$(l)_CFLAGS $(l)_LIBS)
config_given := $(foreach v,$(config_vars),$(if $(call given,$(v)),'$(v)=$($(v))'))
config_given := $(filter-out 'CONFIGURE_ARGS=%',$(config_given)) $(CONFIGURE_ARGS)

# A release ships configure; a clone makes its own.
configure := $(if $(wildcard .git),,$(wildcard configure))
configure := $(or $(configure),$(B)/configure)

goals := $(or $(MAKECMDGOALS),all)
install_goals := deps check check-verbs check-slurm demo
ifneq ($(filter-out help clean dist format worker,$(goals)),)
# An old and empty one, so that make has no words of its own for the first time.
$(if $(wildcard $(B)/config.mk),,$(shell mkdir -p $(B) && touch -d @0 $(B)/config.mk))
include $(B)/config.mk
endif

$(B)/config.mk: $(B)/deps $(B)/config.given $(configure) scripts/config.mk.in
	@mkdir -p $(B)
	@cd $(B) && $(abspath $(configure)) -q --srcdir='$(CURDIR)' $(config_given)
	@touch $@

$(B)/configure: configure.ac | $(B)/deps
	@mkdir -p $(B)
	@cd $(B) && autoconf -o configure '$(CURDIR)/configure.ac'

$(B)/config.given: FORCE
	$(call stamp,$(config_given))

# What is missing is installed for the two commands of a fresh machine, and only named for the others.
$(B)/deps: FORCE
	@MPICC='$(call given,MPICC)' CC='$(CC)' scripts/install-deps \
		$(if $(filter $(install_goals),$(goals)),,--tell) --stamp $@


## Sources

# ovl_fft3d is left out where FFTW is not here, but for what of it needs no FFTW; configure names the package.
no_fftw := src/apps/fft3d/pencil.c src/apps/fft3d/flow.c
left_out := $(if $(filter fftw,$(WITH_FFTW)),,$(filter-out $(no_fftw),$(wildcard src/apps/fft3d/*.c tests/mpi/fft3d.c)))
not_chosen := $(left_out) \
	$(if $(filter cblas,$(WITH_CBLAS)),kernels/dgemm_none.c,kernels/dgemm_cblas.c) \
	$(if $(filter verbs,$(WITH_VERBS)),src/machine/adapters_none.c src/offload/mem/verbs_none.c, \
		src/machine/adapters_verbs.c src/offload/mem/path_verbs.c src/offload/mem/verbs_port.c src/offload/mem/verbs_ep.c)
# Without a CBLAS ovl_hpl is left out; configure names the package.
not_chosen += $(if $(filter cblas,$(WITH_CBLAS)),,src/apps/hpl/main.c src/apps/hpl/blas.c tests/mpi/hpl.c)
sources = $(filter-out $(not_chosen),$(sort $(wildcard $(1))))
objects = $(patsubst %.c,$(B)/obj/%.o,$(call sources,$(1)))

kernel_obj := $(call objects,kernels/*.c)
core_obj := $(call objects,$(foreach room,base stats machine cli record,src/$(room)/*.c))
offload_mpi_obj := $(call objects,src/offload/*/*_mpi.c)
worker_obj := $(call objects,src/offload/boot/main.c)
offload_obj := $(filter-out $(offload_mpi_obj) $(worker_obj),$(call objects,src/offload/*/*.c))
bench_obj := $(call objects,src/bench/*.c)
coll_obj := $(call objects,src/bench/coll/*.c)
app_obj := $(call objects,src/apps/*/*.c)
app_main_obj := $(filter %/main.o,$(app_obj))
tool_obj := $(call objects,src/tool/*.c)
unit_obj := $(call objects,tests/unit/*.c)
mpi_test_obj := $(call objects,tests/mpi/*.c)
fuzz_obj := $(call objects,tests/fuzz/*.c)
golden_obj := $(call objects,tests/golden/*.c)
coverage_obj := $(call objects,tests/coverage/*.c)
simulate_obj := $(call objects,tests/simulate/*.c)
many_ranks_obj := $(call objects,tests/many_ranks/*.c)
shim_src := $(call sources,tests/shim/*.c)

drivers := $(patsubst $(B)/obj/src/bench/coll/%.o,$(B)/bin/ovl_%,$(coll_obj))
apps := $(patsubst $(B)/obj/src/apps/%/main.o,$(B)/bin/ovl_%,$(app_main_obj))
worker := $(B)/bin/ovl_worker
tool := $(if $(tool_obj),$(B)/bin/ovl)
unit := $(if $(unit_obj),$(B)/tests/unit)
mpi_tests := $(patsubst $(B)/obj/tests/mpi/%.o,$(B)/tests/mpi/%,$(mpi_test_obj))
shims := $(patsubst tests/shim/%.c,$(B)/tests/shim/%.so,$(shim_src))
replay_obj := $(B)/obj/tests/fuzz/replay.o
fuzz_shared := $(addprefix $(B)/obj/tests/fuzz/,command.o change_json.o)
harnesses := $(patsubst $(B)/obj/tests/fuzz/%.o,%,$(filter-out $(replay_obj) $(fuzz_shared),$(fuzz_obj)))
replays := $(addprefix $(B)/tests/replay_,$(harnesses))
fuzzers := $(addprefix $(B)/tests/fuzz_,$(harnesses))

core_data := $(B)/share/ovl/record.schema.json $(B)/share/ovl/limits.schema.json
tool_data := $(patsubst src/tool/%,$(B)/share/ovl/%,$(sort $(wildcard src/tool/*.schema.json src/tool/page.css src/tool/page.js)))
schema := $(core_data) $(tool_data)
plots := $(patsubst scripts/%,$(B)/share/ovl/%,$(sort $(wildcard scripts/plot/*.gp)))
pages := $(foreach s,1 5 7,$(patsubst man/%.$(s),$(B)/share/man/man$(s)/%.$(s),$(sort $(wildcard man/*.$(s)))))
driver_page := $(B)/share/man/man1/ovl_bench.1
made_pages := $(driver_page) $(B)/share/man/man5/ovl-record.5
driver_links := $(patsubst $(B)/bin/%,$(B)/share/man/man1/%.1,$(drivers) $(worker))

programs := $(drivers) $(apps) $(worker) $(tool)
data := $(schema) $(plots) $(pages) $(made_pages) $(driver_links)
all_c = $(sort $(shell find kernels src tests scripts -name '*.[ch]'))


## Flags

warnings := -Wall -Wextra
ifneq ($(DEVELOPER),)
warnings += -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wpointer-arith \
	-Wvla -Wformat=2 -Wundef -Wwrite-strings -Wimplicit-fallthrough
endif
sanitize := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
	$(if $(findstring undefined,$(SANITIZE)),-fno-sanitize-recover=undefined))
lib_cflags := $(patsubst -I%,-isystem %,$(JANSSON_CFLAGS) $(HWLOC_CFLAGS) $(MD_CFLAGS) $(VERBS_CFLAGS) \
	$(CBLAS_CFLAGS) $(FFTW_CFLAGS))

ovl_cppflags := -D_GNU_SOURCE -I. -I$(B) -Isrc
ovl_cflags := $(strip -std=c11 $(CFLAGS) $(warnings) $(sanitize) -pthread $(ovl_cppflags) $(lib_cflags) $(CPPFLAGS))
ovl_ldflags := $(CFLAGS) $(sanitize) -pthread -Wl,--as-needed $(LDFLAGS)
libs := $(JANSSON_LIBS) $(HWLOC_LIBS) $(MD_LIBS) $(VERBS_LIBS) $(CBLAS_LIBS) $(FFTW_LIBS) -lm

compile = $(CC) $(ovl_cflags)
compile_mpi = $(MPICC) $(ovl_cflags) $(MPI_CPPFLAGS)

$(B)/flags: FORCE
	$(call stamp,$(compile) | $(compile_mpi) | $(ovl_ldflags) | $(libs) | $(CHECK_CFLAGS) $(CHECK_LIBS))


## Objects

all_obj := $(kernel_obj) $(core_obj) $(offload_obj) $(offload_mpi_obj) $(worker_obj) $(bench_obj) \
	$(coll_obj) $(app_obj) $(tool_obj) $(unit_obj) $(mpi_test_obj) $(fuzz_obj) $(golden_obj) $(coverage_obj) \
	$(simulate_obj) $(many_ranks_obj)
mpi_obj := $(offload_mpi_obj) $(worker_obj) $(bench_obj) $(coll_obj) $(app_obj) $(mpi_test_obj)

$(all_obj): $(B)/obj/%.o: %.c $(B)/flags | $(B)/version.h
	@$(say) CC $<; mkdir -p $(@D)
	$(Q)$(compiler) $(extra) -MMD -MP -c -o $@ $<

$(all_obj): compiler = $(compile)
$(mpi_obj): compiler = $(compile_mpi)
$(unit_obj): extra = $(CHECK_CFLAGS)

$(B)/pic/%.o: %.c $(B)/flags | $(B)/version.h
	@$(say) CC $<; mkdir -p $(@D)
	$(Q)$(filter-out -fsanitize=% -fno-sanitize%,$(compile_mpi)) -fPIC -MMD -MP -c -o $@ $<

-include $(all_obj:.o=.d) $(wildcard $(B)/pic/*/*/*.d) $(wildcard $(B)/obj/scripts/*.d)

# What a record names as its version, and the launcher of ovl sweep; a release unpacked elsewhere, even inside another clone, says unknown.
git_version = $(or $(if $(wildcard .git),$(shell git describe --always --dirty 2>/dev/null)),unknown)

$(B)/version.h: FORCE
	$(Q)mkdir -p $(@D); \
	printf '#define OVL_VERSION "%s"\n#define OVL_GIT "%s"\n#define OVL_MPIEXEC "%s"\n#define OVL_MPI_LIBRARY "%s"\n' \
		'$(VERSION)' '$(git_version)' '$(MPIEXEC)' '$(MPI_LIBRARY)' >$@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# Archives, so that a program takes only the members it needs: unit tests use MPI-free files of bench without MPI.
$(B)/lib/libovlkernels.a: $(kernel_obj)
$(B)/lib/libovlcore.a: $(core_obj)
$(B)/lib/libovloffload.a: $(offload_obj) $(offload_mpi_obj)
$(B)/lib/libovlbench.a: $(bench_obj)
$(B)/lib/libovlapps.a: $(filter-out %/main.o,$(app_obj))
$(B)/lib/libovltool.a: $(filter-out %/main.o,$(tool_obj))
archives := $(addprefix $(B)/lib/,libovlkernels.a libovlcore.a libovloffload.a libovlbench.a libovlapps.a libovltool.a)

# When a file leaves a room, the archive is made again without its object.
lists := $(addprefix $(B)/lib/,libovlkernels.list libovlcore.list libovloffload.list libovlbench.list \
	libovlapps.list libovltool.list tool.list unit.list)
$(lists): FORCE
	$(call stamp,$(members))
$(B)/lib/libovlkernels.list: members = $(kernel_obj)
$(B)/lib/libovlcore.list: members = $(core_obj)
$(B)/lib/libovloffload.list: members = $(offload_obj) $(offload_mpi_obj)
$(B)/lib/libovlbench.list: members = $(bench_obj)
$(B)/lib/libovlapps.list: members = $(filter-out %/main.o,$(app_obj))
$(B)/lib/libovltool.list: members = $(filter-out %/main.o,$(tool_obj))
$(B)/lib/tool.list: members = $(tool_obj)
$(B)/lib/unit.list: members = $(unit_obj)

$(archives): $(B)/lib/%.a: $(B)/lib/%.list
	@$(say) AR $@; rm -f $@
	$(Q)ar qcs $@ $(filter %.o,$^)

core_libs := $(B)/lib/libovlcore.a $(B)/lib/libovlkernels.a
engine_libs := $(B)/lib/libovloffload.a $(core_libs)
app_libs := $(B)/lib/libovlapps.a


## Programs

link = @$(say) LD $@; mkdir -p $(@D)

$(drivers): $(B)/bin/ovl_%: $(B)/obj/src/bench/coll/%.o $(B)/lib/libovlbench.a $(engine_libs)
	$(link)
	$(Q)$(MPICC) $(ovl_ldflags) -o $@ $< $(bench_obj) $(engine_libs) $(libs)

$(worker): $(worker_obj) $(engine_libs)
	$(link)
	$(Q)$(MPICC) $(ovl_ldflags) -o $@ $< $(engine_libs) $(libs)

$(apps): $(B)/bin/ovl_%: $(B)/obj/src/apps/%/main.o $(app_libs) $(B)/lib/libovlbench.a $(engine_libs)
	$(link)
	$(Q)$(MPICC) $(ovl_ldflags) -o $@ $< $(app_libs) $(B)/lib/libovlbench.a $(engine_libs) $(libs)

$(tool): $(tool_obj) $(core_libs) $(B)/lib/tool.list
	$(link)
	$(Q)$(CC) $(ovl_ldflags) -o $@ $(tool_obj) $(core_libs) $(libs)

$(unit): $(unit_obj) $(B)/lib/libovltool.a $(app_libs) $(B)/lib/libovlbench.a $(engine_libs) $(B)/lib/unit.list
	$(link)
	$(Q)$(CC) $(ovl_ldflags) -o $@ $(unit_obj) $(B)/lib/libovltool.a $(app_libs) $(B)/lib/libovlbench.a $(engine_libs) \
		$(CHECK_LIBS) $(libs)

$(mpi_tests): $(B)/tests/mpi/%: $(B)/obj/tests/mpi/%.o $(app_libs) $(B)/lib/libovlbench.a $(engine_libs)
	$(link)
	$(Q)$(MPICC) $(ovl_ldflags) -o $@ $< $(app_libs) $(B)/lib/libovlbench.a $(engine_libs) $(libs)

$(B)/tests/golden_loop: $(B)/obj/tests/golden/loop.o $(B)/obj/tests/unit/virtual_stage.o $(B)/lib/libovlbench.a $(engine_libs)
	$(link)
	$(Q)$(MPICC) $(ovl_ldflags) -o $@ $^ $(libs)

# tests/rederive RECORD NEW: a kept record after a change of the statistics.
$(B)/tests/rederive: $(B)/obj/tests/golden/rederive.o $(core_libs)
	$(link)
	$(Q)$(CC) $(ovl_ldflags) -o $@ $^ $(libs)

$(B)/tests/coverage: $(coverage_obj) $(B)/obj/tests/unit/coverage.o $(B)/obj/tests/unit/virtual_stage.o $(B)/lib/libovlbench.a $(core_libs)
	$(link)
	$(Q)$(CC) $(ovl_ldflags) -o $@ $^ $(libs)

$(B)/tests/many_ranks: $(many_ranks_obj) $(addprefix $(B)/obj/tests/unit/,many_ranks.o virtual_job.o) $(B)/lib/libovlbench.a $(core_libs)
	$(link)
	$(Q)$(CC) $(ovl_ldflags) -o $@ $^ $(libs)

$(B)/tests/simulate_verdicts: $(simulate_obj) $(B)/obj/tests/unit/families.o $(core_libs)
	$(link)
	$(Q)$(CC) $(ovl_ldflags) -o $@ $^ $(libs)

# FFTW's own parallel transform, where its MPI library is here and belongs to this MPI.
$(B)/tests/fftw_mpi: tests/compare/fftw_mpi.c $(B)/flags
	$(link)
	$(Q)$(compile_mpi) $(ovl_ldflags) -o $@ $< -lfftw3_mpi $(FFTW_LIBS) -lm || { \
		echo 'compare-fftw needs libfftw3-mpi-dev and the MPI that it was built for (Debian: Open MPI)' >&2; exit 1; }

# A harness with the kept inputs, and the same with libFuzzer, which clang brings.
harness_libs := $(fuzz_shared) $(B)/lib/libovltool.a $(B)/lib/libovlbench.a $(engine_libs)
harness_ldflags := -Wl,--wrap=ovl_gnuplot_run

$(replays): $(B)/tests/replay_%: $(B)/obj/tests/fuzz/%.o $(replay_obj) $(harness_libs)
	$(link)
	$(Q)$(CC) $(ovl_ldflags) $(harness_ldflags) -o $@ $< $(replay_obj) $(harness_libs) $(libs)

$(fuzzers): $(B)/tests/fuzz_%: $(B)/obj/tests/fuzz/%.o $(harness_libs)
	$(link)
	$(Q)$(CC) $(ovl_ldflags) $(harness_ldflags) -fsanitize=fuzzer -o $@ $< $(harness_libs) $(libs)

# A shim that needs a file of ours names it: /* link: src/base/clock.c */
shim_links = $(patsubst %.c,$(B)/pic/%.o,$(shell sed -n 's|^/\* link: *\(.*[^ ]\) *\*/|\1|p' tests/shim/$(1).c))

$(shims): $(B)/tests/shim/%.so: $(B)/pic/tests/shim/%.o $$(call shim_links,$$*)
	$(link)
	$(Q)$(MPICC) $(filter-out -fsanitize=% -fno-sanitize%,$(ovl_ldflags)) -shared -o $@ $^ -ldl


## Data and manual pages, laid out as in the install prefix

copy = @mkdir -p $(@D); cp $< $@

$(plots): $(B)/share/ovl/%: scripts/%
	$(copy)
$(B)/share/ovl/record.schema.json: $(B)/make_tables
	@$(say) MAKE $@; mkdir -p $(@D)
	$(Q)$(B)/make_tables record-schema >$@
$(B)/share/ovl/limits.schema.json: src/tool/limits.schema.json.in $(B)/make_tables
	@$(say) MAKE $@; mkdir -p $(@D)
	$(Q)$(B)/make_tables limits-schema $< >$@
$(tool_data): $(B)/share/ovl/%: src/tool/%
	$(copy)
$(filter %.1,$(pages)): $(B)/share/man/man1/%: man/%
	$(copy)
$(filter %.5,$(pages)): $(B)/share/man/man5/%: man/%
	$(copy)
$(filter %.7,$(pages)): $(B)/share/man/man7/%: man/%
	$(copy)

# Options and fields come from the tables that the programs read.
$(B)/make_tables: scripts/make_tables.c $(core_libs) $(B)/flags | $(B)/version.h
	$(link); mkdir -p $(B)/obj/scripts
	$(Q)$(compile) $(ovl_ldflags) -MMD -MP -MF $(B)/obj/scripts/make_tables.d -o $@ $< $(core_libs) $(libs)

# What scripts/cluster floor runs.
$(B)/cluster_floor: scripts/cluster_floor.c scripts/cluster_floor_node.c scripts/cluster_floor.h $(core_libs) $(B)/flags | \
		$(B)/version.h
	$(link)
	$(Q)$(compile) $(ovl_ldflags) -o $@ $(filter %.c,$^) $(core_libs) $(libs)

# A line @NAME@ of a page stands for the table of that name.
$(made_pages): $(B)/make_tables
	@$(say) MAN $@; mkdir -p $(@D)
	$(Q)while IFS= read -r line; do case $$line in \
		@*@) line=$${line#@}; $(B)/make_tables "$${line%@}" || exit 1 ;; \
		*) printf '%s\n' "$$line" ;; esac; done <$(filter %.in,$^) >$@
$(driver_page): man/ovl_bench.1.in
$(B)/share/man/man5/ovl-record.5: man/ovl-record.5.in

$(driver_links): Makefile | $(driver_page)
	$(Q)echo '.so man1/ovl_bench.1' >$@


## What can be asked for

.PHONY: all check check-verbs check-slurm worker demo truth compare-fftw compare-hpl time-tool golden coverage verdicts deps install uninstall deb dist clean format lint tests shims fuzz fuzzers help FORCE
FORCE:

all: $(programs) $(B)/cluster_floor $(archives) $(data) $(B)/compile_commands.json ## build everything under build/ (default)

tests: all $(unit) $(mpi_tests) $(shims) $(replays) ## build the tests and run none of them

shims: $(shims)

run_env = OVL_TOP='$(CURDIR)' OVL_BUILD='$(abspath $(B))' OVL_BIN='$(abspath $(B)/bin)' OVL_MPIEXEC='$(MPIEXEC)' \
	OVL_MPI='$(MPI_LIBRARY)' OVL_SHIM='$(abspath $(B)/tests/shim)'
check_env = OVL_WORKER_SOURCES='$(lone_src)' OVL_MPI_CPPFLAGS='$(MPI_CPPFLAGS)' OVL_CC='$(CC) $(filter-out -Werror $(sanitize),$(ovl_cflags)) $(MPI_CPPFLAGS)' \
	OVL_SANITIZE='$(SANITIZE)' VALGRIND='$(VALGRIND)' OVL_PAGES='$(strip $(pages) $(made_pages))'

check: tests $(if $(findstring verbs,$(SUITE)),worker) ## install what is missing, build, and run every test (SUITE=, ONLY=)
	@$(run_env) $(check_env) scripts/run-tests $(SUITE)

check-verbs: tests worker ## test the path verbs in guests with soft-RoCE adapters (installs QEMU)
	@$(run_env) $(check_env) scripts/run-tests verbs

check-slurm: tests ## test exit codes under a Slurm of two nodes made for it (installs Slurm; needs root)
	@$(run_env) $(check_env) scripts/run-tests slurm

# For a DPU: no configure and none of the libraries that only measuring needs. `make worker MPICC=...`; without libibverbs
# WITH_VERBS=none. Elsewhere than the full build, which has another.
lone := $(B)/worker
lone_src = $(addprefix src/,base/error.c base/abi_check.c base/clock.c base/page_alloc.c base/input_file.c machine/machine.c machine/port.c machine/dpu_map.c) \
	$(if $(filter none,$(WITH_VERBS)),,src/machine/adapters_verbs.c) \
	$(filter-out $(if $(filter none,$(WITH_VERBS)),%_verbs.c %/verbs_port.c %/verbs_ep.c,%/verbs_none.c), \
		$(sort $(wildcard src/offload/*/*.c)))
lone_mpicc = $(or $(call given,MPICC),$(shell command -v mpicc.mpich || echo mpicc))
worker: ## build ovl_worker alone under build/worker, for a DPU: needs MPI and libibverbs only
	@mkdir -p $(lone); printf '#define OVL_VERSION "%s"\n#define OVL_GIT "%s"\n' '$(VERSION)' '$(git_version)' \
		>$(lone)/version.h
	$(Q)$(lone_mpicc) -std=c11 $(CFLAGS) $(warnings) -D_GNU_SOURCE -I. -I$(lone) -Isrc -pthread $(CPPFLAGS) \
		-o $(lone)/ovl_worker $(lone_src) $(LDFLAGS) $(if $(filter none,$(WITH_VERBS)),,$(or $(VERBS_LIBS),-libverbs)) -lm
	@echo '$(lone)/ovl_worker'

FUZZ_CC ?= clang
FUZZ_SECONDS ?= 60
fuzz: ## let libFuzzer look for faults, FUZZ_SECONDS=60 for each of tests/fuzz/*.c (needs clang)
	@$(MAKE) --no-print-directory B=$(B)/fuzz CC=$(FUZZ_CC) \
		SANITIZE=address,undefined,float-cast-overflow,fuzzer-no-link fuzzers
	@$(run_env) scripts/fuzz $(FUZZ_SECONDS) $(if $(HARNESS),$(HARNESS),$(harnesses))

fuzzers: $(fuzzers) $(schema) $(plots)

demo: all ## install what is missing, build, run the main job and draw its charts
	@$(run_env) scripts/demo

truth: all shims $(B)/tests/many_ranks ## show what the drivers say where the answer is known, on this machine
	@$(run_env) bash -c '. scripts/mpi-env && exec scripts/truth'

compare-fftw: $(apps) $(B)/tests/fftw_mpi
	@$(run_env) scripts/compare-fftw $(ROUNDS) $(GRIDS)

compare-hpl: $(apps)
	@$(run_env) scripts/compare-hpl $(or $(ROUNDS),3) $(or $(N),6000) $(PROCS)

golden: all $(B)/tests/golden_loop ## what the programs print of the kept records, into $(TO): held against the same after a change
	@OVL_BUILD='$(B)' scripts/golden $(or $(TO),$(B)/golden)

coverage: $(B)/tests/coverage ## simulate how often the intervals of cells hold the truth (CELLS=10000; some minutes)
	@OVL_BUILD='$(B)' scripts/coverage $(CELLS)

verdicts: $(B)/tests/simulate_verdicts ## simulate how often compare's verdicts err, into results/verdicts.txt (10 minutes)
	@$(run_env) scripts/verdicts $(FAMILIES)

time-tool: $(tool) $(programs)
	@$(run_env) scripts/time-tool $(FILES) $(CELLS)

deps: $(B)/deps ## install the packages that ovl needs (Debian, Ubuntu)
	@echo 'ovl has all that it needs here'

install: all ## put programs, charts and pages under $(DESTDIR)$(prefix)
	@for f in $(patsubst $(B)/%,%,$(programs)); do \
		install -D -m 755 "$(B)/$$f" "$(DESTDIR)$(prefix)/$$f" || exit 1; done
	@for f in $(patsubst $(B)/%,%,$(data)); do \
		install -D -m 644 "$(B)/$$f" "$(DESTDIR)$(prefix)/$$f" || exit 1; done
	@echo "ovl is in $(DESTDIR)$(prefix)"

# Folders too, as far as they are empty now: up to the prefix, and with DESTDIR above it as well.
installed := $(patsubst $(B)/%,%,$(programs) $(data))
uninstall: ## take away what install put there
	@if [ -d '$(DESTDIR)$(prefix)' ]; then cd '$(DESTDIR)$(prefix)' && rm -f $(installed) && \
		for d in $(sort $(dir $(installed))); do \
			[ ! -d "$$d" ] || rmdir -p --ignore-fail-on-non-empty "$$d"; done; fi
	@if [ -n '$(DESTDIR)' ] && [ -d '$(DESTDIR)$(prefix)' ]; then \
		cd '$(DESTDIR)' && rmdir -p --ignore-fail-on-non-empty './$(patsubst /%,%,$(prefix))' 2>/dev/null || :; \
	elif [ -d '$(prefix)' ]; then rmdir --ignore-fail-on-non-empty '$(prefix)'; fi

deb: all ## make a Debian package of the tree: $(B)/ovl_VERSION_ARCH.deb
	+@B='$(B)' MAKE='$(MAKE)' scripts/package-deb

release := ovl-$(VERSION)
dist: $(B)/configure ## make $(B)/ovl-VERSION.tar.gz, which builds without git and autoconf
	@[ -e .git ] && git ls-files -z >$(B)/dist.files || { echo 'make dist needs git and a clone' >&2; exit 1; }
	@printf '%s\0' $(B)/configure >>$(B)/dist.files
	@tar --create --null --files-from=$(B)/dist.files --sort=name --format=gnu --owner=0 --group=0 --numeric-owner \
		--mode=go=rX,u+rw,a-s --mtime=@$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} \
		--transform='s,^$(B)/configure$$,configure,' --transform='s,^,$(release)/,' | gzip -n9 >$(B)/$(release).tar.gz
	@rm $(B)/dist.files; echo "$(B)/$(release).tar.gz"

clean: ## remove the build folder
	rm -rf $(B)

format: ## rewrite C files in the house style
	clang-format -i $(all_c)

# One file each time: version 14 loses sight of va_start from the second file on. What is passed over, and why, stands
# in .clang-tidy and in scripts/cppcheck.suppress.
lint: all ## cppcheck and clang-tidy, where present
	@bad=0; \
	if [ -n '$(CPPCHECK)' ]; then \
		$(CPPCHECK) --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
			--suppressions-list=scripts/cppcheck.suppress $(ovl_cppflags) kernels src || bad=1; \
	else echo 'cppcheck is not here: skipped'; fi; \
	if [ -n '$(CLANG_TIDY)' ]; then \
		printf '%s\n' $(call sources,kernels/*.c src/*/*.c src/*/*/*.c) | \
			xargs -n 1 -P $(shell nproc) $(CLANG_TIDY) --quiet -p $(B) || bad=1; \
	else echo 'clang-tidy is not here: skipped'; fi; \
	exit $$bad

# One entry for each object, with the compiler in place of the MPI wrapper, which tools cannot look into.
json_string = $(subst ",\",$(subst \,\\,$(1)))
define json_entry
$(2){"directory": "$(CURDIR)", "file": "$(1)", "command": "$(call json_string,$(compile) $(MPI_CPPFLAGS) -c $(1))"}

endef
comma := ,
all_src := $(patsubst $(B)/obj/%.o,%.c,$(all_obj)) $(shim_src)

$(B)/compile_commands.json: $(B)/flags $(B)/sources
	$(file >$@,[)$(foreach s,$(all_src),$(file >>$@,$(call json_entry,$(s),$(if $(filter $(firstword $(all_src)),$(s)),,$(comma)))))$(file >>$@,])
	@:

$(B)/sources: FORCE
	$(call stamp,$(all_src))

help: ## show this list
	@echo 'make TARGET [VARIABLE=VALUE...]'; echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | while IFS='	' read -r t w; do \
		printf '  %-10s %s\n' "$$t" "$$w"; done
	@echo; sed -n '/^#   [A-Z]*=\|^#   [a-z]*=/s/^#   /  /p' Makefile
