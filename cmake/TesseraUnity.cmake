# Files that cannot share a compilation with the others of their room, because both use one name for
# two things in their unnamed namespaces. It matters where several files are compiled as one: the
# presets that inherit "whole". A new clash is no fault of the program: ./dev builds file by file
# then, and says so; give one of the two another name, or add it here. CMake keeps such a property
# for one folder: each that compiles these files includes this one.
set(alone
  cost/pipeline.cpp
  io/hardware_yaml.cpp
  io/placement_json.cpp
  io/plan_json.cpp
  io/problem_yaml.cpp
  io/problem_yaml_write.cpp
  io/svg.cpp
  porter/generate.cpp
  placer/height.cpp
  planner/plan.cpp
  planner/planning.cpp
  planner/file.cpp
  search/placement/boxing/engine.cpp
  search/placement/canonical.cpp
  search/placement/canonical_search.cpp
  search/tiles/tile_search.cpp)
list(TRANSFORM alone PREPEND "${PROJECT_SOURCE_DIR}/")
set_property(SOURCE ${alone} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
