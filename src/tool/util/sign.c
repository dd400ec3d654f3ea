/* Signing and checking by ssh-keygen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/sign.h"
#include "base/path.h"
#include "base/printable.h"
#include "tool/util/ask.h"
#include "tool/util/scratch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "ssh-keygen";
static const double patience = 20; /* seconds; one that asks for a password waits for nobody */

/* The first line of an answer, for an error. */
static void first_line(char *answer)
{
    answer[strcspn(answer, "\r\n")] = '\0';
    ovl_printable_bytes(answer);
}

int ovl_sign(const char *key, const char *path, struct ovl_error *err)
{
    char answer[200];
    struct ovl_path found;
    const struct ovl_path to = ovl_path("%s.sig", path);
    const char *const words[] = {program, "-Y", "sign", "-f", key, "-n", OVL_SIGN_NAMESPACE, "--", path, NULL};
    if (ovl_ask_path(program, &found) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no ssh-keygen here to sign with; install OpenSSH's client");
    if (access(key, R_OK) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--sign %s: cannot read: %s", key, strerror(errno));
    unlink(to.text); /* it would ask whether to replace it */
    int code = ovl_ask(words, patience, answer, sizeof answer);
    first_line(answer);
    if (code == 0 && access(to.text, R_OK) == 0)
        return 0;
    return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot sign it with %.100s: %s", path, key,
                         *answer ? answer : "ssh-keygen gives no answer; does the key have a password and no agent?");
}

static bool write_signers(const json_t *signers, const char *path)
{
    FILE *out = fopen(path, "we");
    for (size_t i = 0; i < json_array_size(signers) && out; i++)
        fprintf(out, "%s\n", json_string_value(json_array_get(signers, i)));
    bool written = out && !ferror(out);
    return out && fclose(out) == 0 && written;
}

/* Was that no answer on the signature? Older ones do not know the question. */
static bool cannot(int code, char *answer)
{
    enum { NO_PROGRAM = 127 };
    bool unknown = code != 0 && (strstr(answer, "nsupported operation") || strstr(answer, "llegal option") ||
                                 strstr(answer, "nknown option") || strstr(answer, "usage:"));
    if (code != OVL_ASK_NO_ANSWER && code != NO_PROGRAM && !unknown)
        return false;
    first_line(answer);
    return true;
}

static enum ovl_signed check(const char *signers, const char *path, const char *signature, char said[OVL_SIGN_TEXT])
{
    char who[OVL_SIGN_TEXT], answer[OVL_SIGN_TEXT];
    const char *const find[] = {program, "-Y", "find-principals", "-s", signature, "-f", signers, NULL};
    int code = ovl_ask(find, patience, who, sizeof who);
    if (cannot(code, who)) {
        snprintf(said, OVL_SIGN_TEXT, "ssh-keygen here cannot check its signature: %.120s",
                 *who ? who : "it gives no answer");
        return OVL_SIGNED_UNKNOWN;
    }
    if (code != 0) {
        snprintf(said, OVL_SIGN_TEXT, "its signature is by nobody whom the limits name");
        return OVL_SIGNED_BADLY;
    }
    who[strcspn(who, "\r\n")] = '\0';
    const char *const verify[] = {
        "sh",      "-c",    "exec ssh-keygen -Y verify -f \"$1\" -I \"$2\" -n " OVL_SIGN_NAMESPACE " -s \"$3\" <\"$4\"",
        "sh",      signers, who,
        signature, path,    NULL};
    code = ovl_ask(verify, patience, answer, sizeof answer);
    if (cannot(code, answer)) {
        snprintf(said, OVL_SIGN_TEXT, "ssh-keygen here cannot check its signature: %.120s",
                 *answer ? answer : "it gives no answer");
        return OVL_SIGNED_UNKNOWN;
    }
    first_line(code == 0 ? who : answer);
    snprintf(said, OVL_SIGN_TEXT, code == 0 ? "signed by %.150s" : "its signature is not of this file: %.120s",
             code == 0 ? who : answer);
    return code == 0 ? OVL_SIGNED_WELL : OVL_SIGNED_BADLY;
}

enum ovl_signed ovl_sign_check(const json_t *signers, const char *path, char said[OVL_SIGN_TEXT])
{
    struct ovl_path found;
    const struct ovl_path signature = ovl_path("%s.sig", path);
    if (access(signature.text, R_OK) != 0) {
        snprintf(said, OVL_SIGN_TEXT, "it is not signed: no %.12s.sig",
                 strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
        return OVL_SIGNED_BADLY;
    }
    char folder[2048];
    struct ovl_error err;
    if (ovl_ask_path(program, &found) != 0) {
        snprintf(said, OVL_SIGN_TEXT, "no ssh-keygen here to check its signature with; install OpenSSH's client");
        return OVL_SIGNED_UNKNOWN;
    }
    if (ovl_scratch_make(folder, "signers", &err) != 0) {
        snprintf(said, OVL_SIGN_TEXT, "its signature cannot be checked: %.150s", err.text);
        return OVL_SIGNED_UNKNOWN;
    }
    const struct ovl_path file = ovl_path("%s/signers", folder);
    bool written = write_signers(signers, file.text);
    enum ovl_signed how = written ? check(file.text, path, signature.text, said) : OVL_SIGNED_UNKNOWN;
    if (!written)
        snprintf(said, OVL_SIGN_TEXT, "the signers cannot be written to a temporary file");
    unlink(file.text);
    rmdir(folder);
    return how;
}
