/* Places two buffers, from C. */
#include <stdio.h>
#include <tessera_c.h>

int main(void) {
  tessera_problem *problem = tessera_problem_new(12, 4);
  tessera_result *result;
  tessera_add_buffer(problem, "a", 0, 3, 4);
  tessera_add_buffer(problem, "b", 1, 2, 8);
  result = tessera_place(problem, NULL);
  if (tessera_status_of(result) != TESSERA_FEASIBLE) return 1;
  printf("a at %d, b at %d\n", (int)tessera_offset(result, 0), (int)tessera_offset(result, 1));
  tessera_result_free(result);
  tessera_problem_free(problem);
  return 0;
}
