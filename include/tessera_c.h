/* The C interface of Tessera.

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

   No function throws, ends the program or keeps state between calls. An invalid problem is reported
   by the result: its status is TESSERA_BAD_INPUT, and tessera_reason() returns the message. Every
   pointer may be NULL: a NULL problem gives a result with TESSERA_BAD_INPUT. Threads may use
   different problems at the same time, and may share a problem while none changes it. A returned
   text belongs to the object it was requested from, and is valid as long as the object.

   Several memories, banks, modes, relations and parts need a file: tessera_problem_load() reads
   every input of `tessera place`. */
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
  TESSERA_UNKNOWN = 30,    /* a limit ended the search, or memory ran out: not a "no" */
  TESSERA_BUG = 1          /* the checker rejected a placement */
} tessera_status;

typedef enum tessera_goal {
  TESSERA_ANY = 0, /* any placement within the capacities */
  TESSERA_LEAST_HEIGHT = 1,
  TESSERA_LEAST_COST = 2,
  TESSERA_FEWEST_MODES = 3,
  TESSERA_MOST_BENEFIT = 4, /* choose the optional buffers to place */
  TESSERA_FEWEST_SWITCHES = 5
} tessera_goal;

/* All zero: any placement, no limit, two threads, the engine "auto". */
typedef struct tessera_options {
  tessera_goal goal;
  int64_t timeout_ms; /* 0: none */
  int64_t work;       /* search nodes, a limit that does not depend on the machine; 0: none */
  int64_t memory;     /* bytes added to what the process uses; 0: no limit */
  int threads;        /* 0: two */
  uint64_t seed;
  const char* engine; /* NULL: "auto" */
  /* Called every few milliseconds from a separate thread. A nonzero value ends the call with the
     best result so far. May be NULL. */
  int (*stop)(void* context);
  void* context;
} tessera_options;

/* "1.2.3" */
TESSERA_C_API const char* tessera_version(void);

/* A problem with one memory. `capacity` 0: unlimited, to minimise the height. `alignment` 0: 1.
   Returns NULL if memory ran out. */
TESSERA_C_API tessera_problem* tessera_problem_new(int64_t capacity, int64_t alignment);
/* Loads an input file of `tessera place`. `profile` may be NULL. `capacity` 0: the file's own. */
TESSERA_C_API tessera_problem* tessera_problem_load(const char* path, const char* profile,
                                                    int64_t capacity);
TESSERA_C_API void tessera_problem_free(tessera_problem* problem);
TESSERA_C_API size_t tessera_buffers(const tessera_problem* problem);

/* Adds a buffer that is live in the steps from `lower` to `upper` - 1. `id` NULL: its number.
   Buffers are numbered 0, 1, 2, ... in the order they are added. */
TESSERA_C_API void tessera_add_buffer(tessera_problem* problem, const char* id, int64_t lower,
                                      int64_t upper, int64_t size);
/* Change a buffer. The result reports a number that no buffer has. */
TESSERA_C_API void tessera_set_size(tessera_problem* problem, size_t buffer, int64_t size);
TESSERA_C_API void tessera_set_alignment(tessera_problem* problem, size_t buffer,
                                         int64_t alignment);
TESSERA_C_API void tessera_fix(tessera_problem* problem, size_t buffer, int64_t offset);
/* Kept for other programs; no solver uses it. */
TESSERA_C_API void tessera_set_hint(tessera_problem* problem, size_t buffer, int64_t offset);
/* The buffer may be left out; placing it has this benefit, with at most three decimals. */
TESSERA_C_API void tessera_make_optional(tessera_problem* problem, size_t buffer, double benefit);

/* `options` may be NULL. Returns NULL if there is no memory for the result. */
TESSERA_C_API tessera_result* tessera_place(const tessera_problem* problem,
                                            const tessera_options* options);
TESSERA_C_API void tessera_result_free(tessera_result* result);

TESSERA_C_API tessera_status tessera_status_of(const tessera_result* result);
/* One sentence on why there is no placement. May be empty; never NULL. */
TESSERA_C_API const char* tessera_reason(const tessera_result* result);
/* -1 without a placement, for a buffer that is left out, and for an invalid number. */
TESSERA_C_API int64_t tessera_offset(const tessera_result* result, size_t buffer);
/* The name of the buffer's memory; NULL if its offset is -1. */
TESSERA_C_API const char* tessera_memory(const tessera_result* result, size_t buffer);
TESSERA_C_API int64_t tessera_height(const tessera_result* result);
TESSERA_C_API int64_t tessera_lower_bound(const tessera_result* result); /* proved */
TESSERA_C_API double tessera_benefit(const tessera_result* result);
TESSERA_C_API double tessera_benefit_bound(const tessera_result* result); /* proved */
/* Is the result proved optimal for the goal? */
TESSERA_C_API int tessera_is_best(const tessera_result* result);
/* The result as `tessera place --format json` prints it; empty for an invalid problem. */
TESSERA_C_API const char* tessera_json(const tessera_result* result);

#ifdef __cplusplus
}
#endif

#endif
