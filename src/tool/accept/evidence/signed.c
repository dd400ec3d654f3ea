/* Signatures of logs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/evidence/signed.h"
#include "tool/accept/evidence/evidence.h"
#include "tool/util/sign.h"

#include <stdio.h>

void ovl_signed_judge(const struct ovl_jobs *j, const json_t *limits, json_t *verdicts)
{
    static const char *const words[] = {"PASS", "FAIL", "INCONCLUSIVE"};
    const json_t *signers = json_object_get(limits, "signers");
    size_t alone = 0;
    if (!signers)
        return;
    for (size_t i = 0; i < j->sweep_count; i++) {
        char label[48], said[OVL_SIGN_TEXT] = "there is no sweep.log";
        const char *log = j->sweep[i].log_path;
        enum ovl_signed how = log ? ovl_sign_check(signers, log, said) : OVL_SIGNED_BADLY;
        if (how == OVL_SIGNED_WELL && j->sweep[i].log.unchained > 0) {
            how = OVL_SIGNED_UNKNOWN;
            snprintf(said, sizeof said, "the log is signed, and holds no SHA-256: its signature is of no record");
        }
        snprintf(label, sizeof label, "sweep %zu", i + 1);
        ovl_evidence_add(verdicts, label, "signature", how != OVL_SIGNED_WELL, 1, words[how], said);
    }
    for (size_t r = 0; r < j->record->run_count; r++)
        alone += j->job[j->run[r].job].sweep == OVL_NO_SWEEP;
    if (alone > 0)
        ovl_evidence_add(verdicts, "no sweep", "signature", alone, alone, "INCONCLUSIVE",
                         "launches of no sweep have no log that could be signed");
}
