/* Tests the C API (tessera_c.h) from C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera_c.h>

static int failures = 0;

#define EXPECT(what)                                    \
  do {                                                  \
    if (!(what)) {                                      \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #what); \
      ++failures;                                       \
    }                                                   \
  } while (0)

static int has(const char* text, const char* part) {
  return strstr(text, part) != NULL;
}

static tessera_problem* two_buffers(int64_t capacity) {
  tessera_problem* problem = tessera_problem_new(capacity, 4);
  tessera_add_buffer(problem, "a", 0, 3, 4);
  tessera_add_buffer(problem, NULL, 1, 2, 8);
  return problem;
}

static void places(void) {
  tessera_problem* problem = two_buffers(12);
  tessera_result* result = tessera_place(problem, NULL);
  EXPECT(tessera_buffers(problem) == 2);
  EXPECT(tessera_status_of(result) == TESSERA_FEASIBLE);
  const int64_t a = tessera_offset(result, 0);
  const int64_t b = tessera_offset(result, 1);
  EXPECT((a == 0 && b == 4) || (a == 8 && b == 0));
  EXPECT(tessera_offset(result, 2) == -1);
  EXPECT(strcmp(tessera_memory(result, 1), "memory") == 0);
  EXPECT(tessera_height(result) == 12 && tessera_lower_bound(result) == 12);
  EXPECT(has(tessera_json(result), "\"id\": \"1\""));
  tessera_result_free(result);

  /* The same problem with other numbers. */
  tessera_set_size(problem, 1, 9);
  result = tessera_place(problem, NULL);
  EXPECT(tessera_status_of(result) == TESSERA_INFEASIBLE);
  EXPECT(tessera_offset(result, 0) == -1 && tessera_memory(result, 0) == NULL);
  EXPECT(strlen(tessera_reason(result)) > 0);
  tessera_result_free(result);
  tessera_set_size(problem, 1, 8);
  tessera_fix(problem, 0, 0);
  tessera_set_alignment(problem, 1, 8);
  tessera_set_hint(problem, 1, 8);
  result = tessera_place(problem, NULL); /* from 8 to 16: too high */
  EXPECT(tessera_status_of(result) == TESSERA_INFEASIBLE);
  tessera_result_free(result);
  tessera_problem_free(problem);
}

static void chooses(void) {
  tessera_problem* problem = tessera_problem_new(0, 0);
  tessera_options options;
  memset(&options, 0, sizeof options);
  for (int k = 0; k < 3; ++k) tessera_add_buffer(problem, NULL, 0, 2, 4 + 4 * (k == 1));
  options.goal = TESSERA_LEAST_HEIGHT;
  tessera_result* result = tessera_place(problem, &options);
  EXPECT(tessera_status_of(result) == TESSERA_FEASIBLE && tessera_height(result) == 16);
  EXPECT(tessera_is_best(result));
  tessera_result_free(result);
  tessera_problem_free(problem);

  problem = tessera_problem_new(12, 0);
  const double benefits[] = {1, 5, 3.5};
  for (int k = 0; k < 3; ++k) {
    tessera_add_buffer(problem, NULL, 0, 2, 4 + 4 * (k == 1));
    tessera_make_optional(problem, (size_t)k, benefits[k]);
  }
  options.goal = TESSERA_MOST_BENEFIT;
  result = tessera_place(problem, &options);
  EXPECT(tessera_status_of(result) == TESSERA_FEASIBLE && tessera_is_best(result));
  EXPECT(tessera_benefit(result) == 8.5 && tessera_benefit_bound(result) == 8.5);
  EXPECT(tessera_offset(result, 0) == -1 && tessera_offset(result, 2) >= 0);
  tessera_result_free(result);
  tessera_problem_free(problem);
}

static void expect_refused(tessera_problem* problem, const tessera_options* options,
                           const char* words) {
  tessera_result* result = tessera_place(problem, options);
  if (tessera_status_of(result) != TESSERA_BAD_INPUT || !has(tessera_reason(result), words)) {
    printf("status %d, \"%s\" instead of \"%s\"\n", (int)tessera_status_of(result),
           tessera_reason(result), words);
    ++failures;
  }
  EXPECT(tessera_json(result)[0] == '\0' && !tessera_is_best(result));
  tessera_result_free(result);
  tessera_problem_free(problem);
}

static void refuses(void) {
  tessera_options options;
  memset(&options, 0, sizeof options);
  tessera_problem* problem = two_buffers(12);
  tessera_set_size(problem, 7, 1);
  tessera_set_size(problem, 8, 1); /* the first mistake is told */
  expect_refused(problem, NULL, "unknown buffer number 7");
  problem = two_buffers(12);
  tessera_add_buffer(problem, "a", 0, 1, 1);
  expect_refused(problem, NULL, "id of an earlier buffer");
  problem = two_buffers(-3);
  expect_refused(problem, NULL, "capacity");
  problem = two_buffers(12);
  tessera_make_optional(problem, 0, -1);
  expect_refused(problem, NULL, "benefit");
  options.engine = "quantum";
  expect_refused(two_buffers(12), &options, "quantum");
  memset(&options, 0, sizeof options);
  options.goal = (tessera_goal)99;
  expect_refused(two_buffers(12), &options, "goal");
  memset(&options, 0, sizeof options);
  options.timeout_ms = INT64_MIN;
  expect_refused(two_buffers(12), &options, "time");
  expect_refused(NULL, NULL, "problem is null");
  expect_refused(tessera_problem_load("no such file.csv", NULL, 0), NULL, "no such file.csv");
  expect_refused(tessera_problem_load(NULL, NULL, 0), NULL, "path");
  tessera_result_free(NULL);
  tessera_add_buffer(NULL, "a", 0, 1, 1);
  EXPECT(tessera_buffers(NULL) == 0);
}

/* They are in a module, which the library loads from its own folder. */
static void asks_the_baselines(void) {
  static const char* const names[] = {"ilp", "cp"};
  size_t k;
  for (k = 0; k < 2; ++k) {
    tessera_options options;
    tessera_problem* problem = two_buffers(12);
    tessera_result* result;
    memset(&options, 0, sizeof options);
    options.engine = names[k];
    result = tessera_place(problem, &options);
    if (tessera_status_of(result) != TESSERA_FEASIBLE &&
        !has(tessera_reason(result), "this build of Tessera has no")) {
      printf("%s: \"%s\"\n", names[k], tessera_reason(result));
      ++failures;
    }
    tessera_result_free(result);
    tessera_problem_free(problem);
  }
}

static int stop_now(void* asked) {
  ++*(int*)asked;
  return 1;
}

static void loads_and_stops(const char* examples) {
  char path[4096];
  snprintf(path, sizeof path, "%s/residual-block.csv", examples);
  tessera_problem* problem = tessera_problem_load(path, "ethos-u65-like", 0);
  tessera_result* result = tessera_place(problem, NULL);
  EXPECT(tessera_status_of(result) == TESSERA_FEASIBLE);
  EXPECT(strcmp(tessera_memory(result, 0), "sram") == 0);
  tessera_result_free(result);
  tessera_problem_free(problem);

  /* Hard enough to be undecided when it is stopped. */
  problem = tessera_problem_new(0, 0);
  uint64_t seed = 1;
  for (int k = 0; k < 400; ++k) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const int64_t lower = (int64_t)(seed >> 33) % 100;
    const int64_t life = 1 + (int64_t)(seed >> 45) % 30;
    tessera_add_buffer(problem, NULL, lower, lower + life, 1 + (int64_t)(seed >> 20) % 997);
  }
  tessera_options options;
  int asked = 0;
  memset(&options, 0, sizeof options);
  options.goal = TESSERA_LEAST_HEIGHT;
  options.timeout_ms = 20000;
  options.stop = stop_now;
  options.context = &asked;
  result = tessera_place(problem, &options);
  EXPECT(asked == 1 || tessera_is_best(result));
  EXPECT(tessera_status_of(result) != TESSERA_INFEASIBLE);
  tessera_result_free(result);
  tessera_problem_free(problem);
}

int main(int count, char** words) {
  places();
  chooses();
  refuses();
  asks_the_baselines();
  loads_and_stops(count > 1 ? words[1] : "examples");
  EXPECT(has(tessera_version(), "."));
  if (failures == 0) puts("all right");
  return failures == 0 ? 0 : 1;
}
