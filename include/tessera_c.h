/* Tessera for C, and for whatever calls C.

     tessera_problem *problem = tessera_problem_new(1 << 20, 64);
     tessera_add_buffer(problem, "a", 0, 3, 4096);
     tessera_add_buffer(problem, "b", 1, 2, 8192);
     tessera_result *result = tessera_place(problem, NULL);
     if (tessera_status_of(result) == TESSERA_FEASIBLE)
       use(tessera_offset(result, 0), tessera_offset(result, 1));
     else
       puts(tessera_reason(result));
     tessera_result_free(result);
     tessera_problem_free(problem);

   Nothing here throws, ends the program or keeps anything between calls. What is wrong with a
   problem is said by the answer: its status is TESSERA_BAD_INPUT then, and tessera_reason() has the
   sentence. A function that takes a pointer accepts NULL: there is no such problem, and its answer
   says so. Different problems may be used from different threads at one time; one problem may not,
   unless nobody changes it. Texts belong to what they were asked of, and live as long.

   What C cannot say here (several memories, banks, modes, relations, parts) stands in a file:
   tessera_problem_load() reads what `tessera place` reads. */
#ifndef TESSERA_C_H
#define TESSERA_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TESSERA_C_API
#define TESSERA_C_API __attribute__((visibility("default")))
#endif

typedef struct tessera_problem tessera_problem;
typedef struct tessera_result tessera_result;

typedef enum tessera_status {
  TESSERA_FEASIBLE = 0,
  TESSERA_BAD_INPUT = 2,
  TESSERA_INFEASIBLE = 20, /* proved */
  TESSERA_UNKNOWN = 30,    /* a limit came first, or the memory ran out: never a "no" */
  TESSERA_BUG = 1          /* an answer did not pass the checker */
} tessera_status;

typedef enum tessera_goal {
  TESSERA_ANY = 0, /* any placement within the capacities */
  TESSERA_LEAST_HEIGHT = 1,
  TESSERA_LEAST_COST = 2,
  TESSERA_FEWEST_MODES = 3,
  TESSERA_MOST_BENEFIT = 4 /* which of the optional buffers are placed */
} tessera_goal;

/* What all of zero means: any placement, no limit, two threads, the engine "auto". */
typedef struct tessera_options {
  tessera_goal goal;
  int64_t timeout_ms; /* 0: none */
  int64_t work;   /* search nodes, which end a call in one place on every machine; 0: no limit */
  int64_t memory; /* bytes beside what the process has; 0: no limit */
  int threads;    /* 0: two */
  uint64_t seed;
  const char* engine; /* NULL: "auto" */
  /* Asked every few milliseconds, from a thread of its own: anything but 0 ends the call with the
     best so far. May be NULL. */
  int (*stop)(void* context);
  void* context;
} tessera_options;

/* "1.2.3" */
TESSERA_C_API const char* tessera_version(void);

/* One memory. `capacity` 0: without one (for a least height). `alignment` 0: 1. NULL: no memory. */
TESSERA_C_API tessera_problem* tessera_problem_new(int64_t capacity, int64_t alignment);
/* A file that `tessera place` reads. `profile` may be NULL, `capacity` 0: the file's own. */
TESSERA_C_API tessera_problem* tessera_problem_load(const char* path, const char* profile,
                                                    int64_t capacity);
TESSERA_C_API void tessera_problem_free(tessera_problem* problem);
TESSERA_C_API size_t tessera_buffers(const tessera_problem* problem);

/* Lives in the steps from `lower` to `upper` - 1. `id` may be NULL: its number. Buffers have the
   numbers 0, 1, 2, ... in the order they were added. */
TESSERA_C_API void tessera_add_buffer(tessera_problem* problem, const char* id, int64_t lower,
                                      int64_t upper, int64_t size);
/* Of a buffer that was added or read. A number that no buffer has is said by the answer. */
TESSERA_C_API void tessera_set_size(tessera_problem* problem, size_t buffer, int64_t size);
TESSERA_C_API void tessera_set_alignment(tessera_problem* problem, size_t buffer,
                                         int64_t alignment);
TESSERA_C_API void tessera_fix(tessera_problem* problem, size_t buffer, int64_t offset);
TESSERA_C_API void tessera_set_hint(tessera_problem* problem, size_t buffer, int64_t offset);
/* It may stay out, and is worth this (at most three decimals count) where it is placed. */
TESSERA_C_API void tessera_make_optional(tessera_problem* problem, size_t buffer, double benefit);

/* `options` may be NULL. NULL: no memory for the answer itself. */
TESSERA_C_API tessera_result* tessera_place(const tessera_problem* problem,
                                            const tessera_options* options);
TESSERA_C_API void tessera_result_free(tessera_result* result);

TESSERA_C_API tessera_status tessera_status_of(const tessera_result* result);
/* One sentence: why not. Empty where there is nothing to say; never NULL. */
TESSERA_C_API const char* tessera_reason(const tessera_result* result);
/* -1 without a placement, for a buffer that is left out, and for one that there is not. */
TESSERA_C_API int64_t tessera_offset(const tessera_result* result, size_t buffer);
/* The name of its memory; NULL where the offset is -1. */
TESSERA_C_API const char* tessera_memory(const tessera_result* result, size_t buffer);
TESSERA_C_API int64_t tessera_height(const tessera_result* result);
TESSERA_C_API int64_t tessera_lower_bound(const tessera_result* result); /* proved */
TESSERA_C_API double tessera_benefit(const tessera_result* result);
TESSERA_C_API double tessera_benefit_bound(const tessera_result* result); /* proved */
/* Is what was asked for proved to be the best there is? */
TESSERA_C_API int tessera_is_best(const tessera_result* result);
/* The whole answer, as `tessera place --format json` prints it; empty for bad input. */
TESSERA_C_API const char* tessera_json(const tessera_result* result);

#ifdef __cplusplus
}
#endif

#endif
