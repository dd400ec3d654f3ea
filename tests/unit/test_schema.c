/* The interpreter of JSON Schema: each keyword, what is refused, what is said; and our own schema against a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/field_schema.h"
#include "record/field.h"
#include "tests/fake/sample_cell.h"
#include "tests/unit/test.h"
#include "tool/util/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(void *to, const char *path, const char *wanted)
{
    size_t n = strlen(to);
    snprintf((char *)to + n, 1024 - n, "%s%s: %s", n ? "\n" : "", path, wanted);
}

/* What a schema says of an instance, a line for each problem; "" when nothing. */
static const char *said(const char *schema_text, const char *instance_text)
{
    static char text[1024];
    json_t *json = json_loads(schema_text, 0, NULL), *instance = json_loads(instance_text, JSON_DECODE_ANY, NULL);
    ck_assert_msg(json && instance, "not JSON: %s or %s", schema_text, instance_text);
    struct ovl_schema *schema = ovl_schema_make(json, &err);
    ck_assert_msg(schema != NULL, "%s", err.text);
    text[0] = '\0';
    size_t problems = ovl_schema_check(schema, instance, note, text);
    ck_assert_uint_eq(problems == 0, text[0] == '\0');
    ovl_schema_free(schema);
    json_decref(json);
    json_decref(instance);
    return text;
}

static const struct row {
    const char *schema, *instance, *said;
} rows[] = {
    {"{}", "[1, null]", ""},
    {"{\"title\": \"t\", \"description\": \"d\", \"$comment\": \"c\", \"$id\": \"i\", \"$schema\": \"s\"}", "1", ""},

    {"{\"type\": \"null\"}", "null", ""},
    {"{\"type\": \"boolean\"}", "false", ""},
    {"{\"type\": \"object\"}", "{}", ""},
    {"{\"type\": \"array\"}", "[]", ""},
    {"{\"type\": \"number\"}", "1", ""},
    {"{\"type\": \"number\"}", "1.5", ""},
    {"{\"type\": \"string\"}", "\"x\"", ""},
    {"{\"type\": \"integer\"}", "3", ""},
    {"{\"type\": \"integer\"}", "3.0", ""},
    {"{\"type\": \"integer\"}", "3.5", ": a whole number is wanted here, not 3.5"},
    {"{\"type\": \"number\"}", "\"3\"", ": a number is wanted here, not \"3\""},
    {"{\"type\": \"boolean\"}", "0", ": true or false is wanted here, not 0"},
    {"{\"type\": \"object\"}", "[]", ": an object is wanted here, not an array"},
    {"{\"type\": [\"integer\", \"null\"]}", "null", ""},
    {"{\"type\": [\"integer\", \"string\", \"null\"]}", "{}",
     ": a whole number, a text or null is wanted here, not an object"},
    {"{\"type\": \"null\"}", "\"a text of far more than forty characters, which is cut\"",
     ": null is wanted here, not \"a text of far more than forty chara..."},

    {"{\"const\": \"run\"}", "\"run\"", ""},
    {"{\"const\": 1}", "1.0", ""},
    {"{\"const\": \"run\"}", "\"cell\"", ": \"run\" is wanted here, not \"cell\""},
    {"{\"enum\": [\"a\", 2, null]}", "2", ""},
    {"{\"enum\": [\"a\", 2, null]}", "null", ""},
    {"{\"enum\": [\"a\", 2, null]}", "\"b\"", ": \"a\", 2 or null is wanted here, not \"b\""},

    {"{\"minimum\": 0, \"maximum\": 100}", "0", ""},
    {"{\"minimum\": 0, \"maximum\": 100}", "100", ""},
    {"{\"minimum\": 0, \"maximum\": 100}", "\"other types are not its concern\"", ""},
    {"{\"minimum\": 0.5}", "0.25", ": 0.5 or more is wanted here, not 0.25"},
    {"{\"maximum\": 100}", "101", ": 100 or less is wanted here, not 101"},

    {"{\"required\": [\"a\", \"b\"]}", "{\"a\": null, \"b\": 1, \"c\": 2}", ""},
    {"{\"required\": [\"a\", \"b\"]}", "{\"c\": 2}", "/a: is missing\n/b: is missing"},
    {"{\"required\": [\"a\"]}", "[]", ""},
    {"{\"properties\": {\"a\": {\"type\": \"null\"}}}", "{\"b\": 1}", ""},
    {"{\"properties\": {\"a\": {\"properties\": {\"b\": {\"type\": \"null\"}}}}}", "{\"a\": {\"b\": 1}}",
     "/a/b: null is wanted here, not 1"},
    {"{\"properties\": {\"a/b~c\": {\"type\": \"null\"}}}", "{\"a/b~c\": 1}", "/a~1b~0c: null is wanted here, not 1"},
    {"{\"properties\": {\"a\": {}}, \"additionalProperties\": false}", "{\"a\": 1, \"b\": 2}", "/b: is not known here"},
    {"{\"additionalProperties\": {\"type\": \"string\"}}", "{\"a\": \"x\", \"b\": 2}",
     "/b: a text is wanted here, not 2"},
    {"{\"additionalProperties\": true}", "{\"b\": 2}", ""},
    {"{\"items\": {\"type\": \"number\"}}", "[1, 2.5]", ""},
    {"{\"items\": {\"type\": \"number\"}}", "[1, [], 3]", "/1: a number is wanted here, not an array"},
    {"{\"items\": {\"type\": [\"number\", \"null\"], \"minimum\": 0}}", "[1, null, 0.0, -1]",
     "/3: 0 or more is wanted here, not -1"},
    {"{\"items\": {\"type\": \"integer\", \"description\": \"n\"}}", "[1, 2.0, 2.5]",
     "/2: a whole number is wanted here, not 2.5"},
    {"{\"items\": {\"type\": \"number\", \"maximum\": 2}}", "[1, 3]", "/1: 2 or less is wanted here, not 3"},

    {"{\"$defs\": {\"n\": {\"type\": \"null\"}}, \"items\": {\"$ref\": \"#/$defs/n\"}}", "[null]", ""},
    {"{\"$defs\": {\"n\": {\"type\": \"null\"}}, \"items\": {\"$ref\": \"#/$defs/n\"}}", "[1]",
     "/0: null is wanted here, not 1"},
    {"{\"type\": \"array\", \"items\": {\"$ref\": \"#\"}}", "[[], [[]]]", ""},
    {"{\"type\": \"array\", \"items\": {\"$ref\": \"#\"}}", "[[], [1]]", "/1/0: an array is wanted here, not 1"},

    {"{\"oneOf\": [{\"type\": \"null\"}, {\"minimum\": 5, \"type\": \"number\"}]}", "7", ""},
    {"{\"oneOf\": [{\"type\": \"null\"}, {\"minimum\": 5, \"type\": \"number\"}]}", "3",
     ": fits none of the alternatives"},
    {"{\"oneOf\": [{\"minimum\": 0}, {\"minimum\": 5}]}", "7", ": fits more than one of the alternatives"},
};

LOOP_TEST(keywords_say_what_is_wanted, 0, sizeof rows / sizeof *rows)
{
    const struct row *r = &rows[_i];
    ck_assert_str_eq(said(r->schema, r->instance), r->said);
}

static const char lines[] =
    "{\"oneOf\": [{\"$ref\": \"#/$defs/run\"}, {\"$ref\": \"#/$defs/end\"}], \"$defs\": {"
    "\"run\": {\"required\": [\"record\", \"id\"], \"properties\": {\"record\": {\"const\": \"run\"}, \"id\": "
    "{\"type\": \"string\"}}},"
    "\"end\": {\"required\": [\"record\", \"cells\"], \"properties\": {\"record\": {\"const\": \"end\"}}}}}";

TEST(the_alternative_is_chosen_by_its_const)
{
    ck_assert_str_eq(said(lines, "{\"record\": \"run\", \"id\": \"x\"}"), "");
    ck_assert_str_eq(said(lines, "{\"record\": \"end\", \"cells\": 1}"), "");
    ck_assert_str_eq(said(lines, "{\"record\": \"run\", \"id\": 5}"), "/id: a text is wanted here, not 5");
    ck_assert_str_eq(said(lines, "{\"record\": \"end\"}"), "/cells: is missing");
    ck_assert_str_eq(said(lines, "{\"record\": \"cell\"}"), "/record: \"run\" or \"end\" is wanted here, not \"cell\"");
    ck_assert_str_eq(said(lines, "{}"), "/record: is missing");
}

static const struct {
    const char *schema, *said;
} refused[] = {
    {"{\"pattern\": \"^a\"}", "keyword pattern: not one that this interpreter knows"},
    {"{\"properties\": {\"a\": {\"format\": \"date\"}}}", "keyword format: not one that this interpreter knows"},
    {"{\"$defs\": {\"unused\": {\"anyOf\": []}}}", "keyword anyOf: not one that this interpreter knows"},
    {"{\"items\": {\"oneOf\": [{\"not\": {}}]}}", "keyword not: not one that this interpreter knows"},
    {"{\"type\": \"float\"}", "keyword type: a type's name is wanted"},
    {"{\"type\": [\"null\", 1]}", "keyword type: a list of type names is wanted"},
    {"{\"type\": []}", "keyword type: a type's name is wanted"},
    {"{\"minimum\": \"0\"}", "keyword minimum: a number is wanted"},
    {"{\"required\": [1]}", "keyword required: a list of names is wanted"},
    {"{\"required\": \"a\"}", "keyword required: a list of names is wanted"},
    {"{\"enum\": []}", "keyword enum: a list of values is wanted"},
    {"{\"oneOf\": {}}", "keyword oneOf: a list of schemas is wanted"},
    {"{\"oneOf\": [1]}", "a schema in it is neither an object nor true or false"},
    {"{\"items\": [{}]}", "keyword items: a schema is wanted"},
    {"{\"properties\": []}", "keyword properties: an object of schemas is wanted"},
    {"{\"title\": 1}", "keyword title: a text is wanted"},
    {"{\"$ref\": \"#/$defs/none\"}", "keyword $ref: #/$defs/NAME of a schema that is there is wanted"},
    {"{\"$ref\": \"other.json\"}", "keyword $ref: #/$defs/NAME of a schema that is there is wanted"},
    {"{\"$ref\": \"#\"}", "its $ref go round in a circle"},
    {"{\"$ref\": \"#/$defs/a\", \"$defs\": {\"a\": {\"oneOf\": [{}, {\"$ref\": \"#/$defs/a\"}]}}}",
     "its $ref go round in a circle"},
};

LOOP_TEST(what_it_cannot_interpret_is_refused, 0, sizeof refused / sizeof *refused)
{
    json_t *json = json_loads(refused[_i].schema, 0, NULL);
    ck_assert_ptr_nonnull(json);
    ck_assert_ptr_null(ovl_schema_make(json, &err));
    ck_assert_str_eq(err.text, refused[_i].said);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    json_decref(json);
}

static char *schema_path(char path[512])
{
    const char *top = getenv("OVL_TOP");
    snprintf(path, 512, "%s/src/tool/sweep/plan/plan.schema.json", top ? top : ".");
    return path;
}

TEST(a_file_is_loaded_or_named)
{
    char path[512];
    struct ovl_schema *schema = ovl_schema_load(schema_path(path), &err);
    ck_assert_msg(schema != NULL, "%s", err.text);
    ovl_schema_free(schema);
    ck_assert_ptr_null(ovl_schema_load("/nowhere/s.json", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/s.json: "));
}

/* Every field that is written must stand in the schema, and everything that the schema wants must be written. */
static void describes(json_t *root, json_t *schema, json_t *value, const char *where)
{
    const char *name;
    json_t *inner, *ref = json_object_get(schema, "$ref");
    if (ref)
        schema = json_object_get(json_object_get(root, "$defs"), json_string_value(ref) + strlen("#/$defs/"));
    json_object_foreach(value, name, inner) {
        json_t *known = json_object_get(json_object_get(schema, "properties"), name);
        json_t *others = json_object_get(schema, "additionalProperties");
        ck_assert_msg(known || others, "%s/%s is not in the schema", where, name);
        if (json_is_object(inner))
            describes(root, known ? known : others, inner, name);
    }
}

TEST(our_schema_describes_every_field_of_a_cell)
{
    struct ovl_cell cell;
    char text[1024] = "";
    json_t *root = ovl_field_schema();
    struct ovl_schema *schema = ovl_schema_make(root, &err);
    ck_assert_msg(schema != NULL, "%s", err.text);
    sample_cell(&cell, "a", 64, 12);
    json_t *line = ovl_cell_to_json(&cell);
    ovl_schema_check(schema, line, note, text);
    ck_assert_str_eq(text, "");
    describes(root, json_object_get(json_object_get(root, "$defs"), "cell"), line, "cell");

    json_object_set_new(line, "status", json_string("fine"));
    json_object_del(line, "omb_overlap_percent");
    json_object_set_new(json_object_get(line, "comm_seconds"), "median", json_real(-1));
    ck_assert_uint_eq(ovl_schema_check(schema, line, note, text), 3);
    ck_assert_ptr_nonnull(strstr(text, "/comm_seconds/median: 0 or more is wanted here, not -1"));
    ck_assert_ptr_nonnull(strstr(text, "/omb_overlap_percent: is missing"));
    ck_assert_ptr_nonnull(
        strstr(text, "/status: \"ok\", \"ci_not_reached\", \"few\", \"drifting\" or \"invalid\" is wanted here, not "
                     "\"fine\""));
    json_decref(line);
    json_decref(root);
    ovl_cell_free(&cell);
    ovl_schema_free(schema);
}
