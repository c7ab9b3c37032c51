# A room is a top-level folder; every .cpp below it belongs to one static library tessera_<room>.
# Adding a file needs no list to be edited: the folder is the list.

add_library(tessera_flags INTERFACE)
# include/ is the public door, shared by all rooms: <tessera/...>, exactly what is installed.
target_include_directories(tessera_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_compile_features(tessera_flags INTERFACE cxx_std_20)
# -Wno-restrict: g++ 12 warns about std::string operator+ without cause (GCC bug 105651);
# -Wno-maybe-uninitialized: likewise about moved-from members of inlined aggregates (GCC bug 105562).
target_compile_options(tessera_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wno-missing-field-initializers
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>" -Werror)
if(CMAKE_UNITY_BUILD)
  # A name of one file may hide that of its neighbour. File by file, in release, it is an error.
  target_compile_options(tessera_flags INTERFACE -Wno-shadow)
endif()
if(TESSERA_SANITIZE STREQUAL "THREAD")
  target_compile_options(tessera_flags INTERFACE -Wno-error -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(tessera_flags INTERFACE -fsanitize=thread)
elseif(TESSERA_SANITIZE)
  # The checks a sanitizer inserts make g++ see accesses that are not there: no error because of them.
  target_compile_options(tessera_flags INTERFACE -Wno-error
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tessera_flags INTERFACE -fsanitize=address,undefined)
else()
  # Whatever a hostile file might find, it is to find it guarded.
  target_compile_options(tessera_flags INTERFACE -fstack-protector-strong
    "$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  target_link_options(tessera_flags INTERFACE LINKER:-z,relro,-z,now)
endif()
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
  # Two different things of one name in two files: only the linker sees both.
  target_compile_options(tessera_flags INTERFACE -Wodr -Werror=odr)
  target_link_options(tessera_flags INTERFACE -Wodr -Werror=odr)
endif()

set(TESSERA_ROOMS "")

# tessera_room(room [USES rooms...] [WITHOUT regex])
function(tessera_room room)
  cmake_parse_arguments(ROOM "" "WITHOUT" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.cpp)
  if(ROOM_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "${ROOM_WITHOUT}")
  endif()
  if(NOT sources)
    return()
  endif()
  add_library(tessera_${room} STATIC ${sources})
  set(rooms ${TESSERA_ROOMS})
  list(APPEND rooms ${room})
  set(TESSERA_ROOMS ${rooms} PARENT_SCOPE)
  set_property(TARGET tessera_${room} PROPERTY TESSERA_USES "${ROOM_USES}")
endfunction()

# Third-party libraries enter one room each. Their headers are system headers (no warnings of theirs).
function(tessera_room_libraries)
  find_package(Threads REQUIRED)
  foreach(room IN LISTS TESSERA_ROOMS)
    target_link_libraries(tessera_${room} PUBLIC tessera_flags)
    get_property(uses TARGET tessera_${room} PROPERTY TESSERA_USES)
    foreach(other IN LISTS uses)
      if(TARGET tessera_${other})
        target_link_libraries(tessera_${room} PUBLIC tessera_${other})
      endif()
    endforeach()
  endforeach()
  target_link_libraries(tessera_model PUBLIC Threads::Threads)
  if(TARGET tessera_io)
    find_package(yaml-cpp REQUIRED)
    find_package(nlohmann_json REQUIRED)
    target_link_libraries(tessera_io PRIVATE yaml-cpp nlohmann_json::nlohmann_json)
    list(APPEND needs yaml-cpp)
    if(TESSERA_WITH_ONNX)
      target_link_libraries(tessera_io PRIVATE onnx_proto protobuf)  # the messages alone
      list(APPEND needs onnx_proto protobuf)
      file(GLOB onnx_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/io/onnx_*.cpp)
      set_source_files_properties(${onnx_sources} PROPERTIES COMPILE_DEFINITIONS "ONNX_NAMESPACE=onnx;ONNX_ML=1")
    endif()
  endif()
  if(TARGET tessera_encoder)
    target_link_libraries(tessera_encoder PRIVATE cadical)
    list(APPEND needs cadical)
    if(TESSERA_WITH_Z3)
      target_link_libraries(tessera_encoder PRIVATE z3)
      list(APPEND needs z3)
    endif()
  endif()
  if(TARGET tessera_explore)
    find_package(SQLite3 REQUIRED)  # Debian: libsqlite3-dev
    target_link_libraries(tessera_explore PRIVATE SQLite::SQLite3)
    list(APPEND needs sqlite3)
  endif()
  if(TARGET tessera_planner AND NOT TESSERA_WITH_Z3)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/planner/engines.cpp
      PROPERTIES COMPILE_DEFINITIONS TESSERA_WITHOUT_Z3)
  endif()
  # What a program names to the linker that has the rooms' objects inside.
  set(TESSERA_NEEDS ${needs} PARENT_SCOPE)
endfunction()

# tessera_test(name SOURCES... [USES rooms...] [LABELS ...]): one GoogleTest program.
function(tessera_test name)
  cmake_parse_arguments(T "" "TIMEOUT" "SOURCES;USES;LABELS" ${ARGN})
  if(NOT T_SOURCES)
    return()
  endif()
  foreach(room IN LISTS T_USES)
    if(NOT TARGET tessera_${room})
      return()
    endif()
  endforeach()
  add_executable(${name} ${T_SOURCES})
  foreach(room IN LISTS T_USES)
    target_link_libraries(${name} PRIVATE tessera_${room})
  endforeach()
  if(TARGET tessera_testing)
    target_link_libraries(${name} PRIVATE tessera_testing)
  endif()
  target_link_libraries(${name} PRIVATE tessera_flags GTest::gmock GTest::gtest_main)
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600)
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
endfunction()
