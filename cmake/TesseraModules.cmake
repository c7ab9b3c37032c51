# A module is a top-level folder; every .cpp below it belongs to the static library tessera_<module>. New
# files need no change of a list.

add_library(tessera_flags INTERFACE)
# include/ is the public API, shared by all modules: <tessera/...>, as installed.
target_include_directories(tessera_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_compile_features(tessera_flags INTERFACE cxx_std_20)
# -Wno-restrict: g++ 12 warns about std::string operator+ without cause (GCC bug 105651);
# -Wno-maybe-uninitialized: the same for moved-from members of inlined aggregates (GCC bug 105562).
target_compile_options(tessera_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wno-missing-field-initializers
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>" -Werror)
if(CMAKE_UNITY_BUILD)
  # Two warnings do not work for merged files: a name may hide one of a neighbouring file, and types of an
  # unnamed namespace seem to come from a header. File by file (preset `files`) both are errors.
  target_compile_options(tessera_flags INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
if(TESSERA_SANITIZE STREQUAL "THREAD")
  target_compile_options(tessera_flags INTERFACE -Wno-error -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(tessera_flags INTERFACE -fsanitize=thread)
elseif(TESSERA_SANITIZE)
  # The checks of sanitizers cause false warnings of g++ about accesses: do not turn them into errors.
  target_compile_options(tessera_flags INTERFACE -Wno-error
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
    # The address sanitizer and the fuzzed readers (tests/fuzz) check pointers already. The undefined
    # behaviour checks of pointers would double the time to build and to run.
    -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow,nonnull-attribute,returns-nonnull-attribute
    # Large functions call access checks instead of inlining them: compiles a third faster.
    "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param asan-instrumentation-with-call-threshold=500>")
  target_link_options(tessera_flags INTERFACE -fsanitize=address,undefined)
else()
  # Hardening, because files may be hostile.
  target_compile_options(tessera_flags INTERFACE -fstack-protector-strong
    "$<$<NOT:$<OR:$<CONFIG:Debug>,$<BOOL:$<TARGET_PROPERTY:TESSERA_IS_TEST>>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  target_link_options(tessera_flags INTERFACE LINKER:-z,relro,-z,now)
endif()

set(TESSERA_MODULES "")

# tessera_module(module [USES modules...] [WITHOUT regex])
function(tessera_module module)
  cmake_parse_arguments(MODULE "" "WITHOUT" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${module}/*.cpp)
  if(MODULE_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "${MODULE_WITHOUT}")
  endif()
  if(NOT sources)
    return()
  endif()
  add_library(tessera_${module} STATIC ${sources})
  tessera_unity_groups(tessera_${module} 130000 ${sources})
  set(modules ${TESSERA_MODULES})
  list(APPEND modules ${module})
  set(TESSERA_MODULES ${modules} PARENT_SCOPE)
  set_property(TARGET tessera_${module} PROPERTY TESSERA_USES "${MODULE_USES}")
endfunction()

# Embeds a forest (engine/forest.h) as text: X.forest and X_forest.cpp.in beside it.
function(tessera_forest module file)
  set(path ${PROJECT_SOURCE_DIR}/${file})
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} forest)
  get_filename_component(name ${file} NAME_WE)
  get_filename_component(folder ${path} DIRECTORY)
  configure_file(${folder}/${name}_forest.cpp.in ${PROJECT_BINARY_DIR}/${name}_forest.cpp @ONLY)
  target_sources(tessera_${module} PRIVATE ${PROJECT_BINARY_DIR}/${name}_forest.cpp)
endfunction()

# Link the program with the static archive of a library if there is one, and other targets with the shared
# one. This saves the loader some thousand symbol look-ups per start.
option(TESSERA_PROGRAM_HAS_INSIDE "Link the program with archives of libraries where there are any" ON)
function(tessera_links module name shared)
  find_library(archive_of_${name} lib${name}.a)
  mark_as_advanced(archive_of_${name})
  if(TESSERA_PROGRAM_HAS_INSIDE AND archive_of_${name})
    target_link_libraries(tessera_${module} PRIVATE
      $<IF:$<BOOL:$<TARGET_PROPERTY:TESSERA_IS_PROGRAM>>,${archive_of_${name}},${shared}>)
  else()
    target_link_libraries(tessera_${module} PRIVATE ${shared})
  endif()
endfunction()

# Third-party libraries belong to one module each. Their headers are system headers (no warnings).
function(tessera_module_libraries)
  find_package(Threads REQUIRED)
  foreach(module IN LISTS TESSERA_MODULES)
    target_link_libraries(tessera_${module} PUBLIC tessera_flags)
    get_property(uses TARGET tessera_${module} PROPERTY TESSERA_USES)
    foreach(other IN LISTS uses)
      if(other STREQUAL "baselines" AND TARGET tessera_baselines)
        # Linked directly, or loaded on first use (cmake/TesseraBaselines.cmake).
        target_link_libraries(tessera_${module} PUBLIC
          $<IF:$<BOOL:$<TARGET_PROPERTY:TESSERA_LOADS_BASELINES>>,tessera_baselines_loaded,tessera_baselines>)
      elseif(TARGET tessera_${other})
        target_link_libraries(tessera_${module} PUBLIC tessera_${other})
      endif()
    endforeach()
  endforeach()
  target_link_libraries(tessera_model PUBLIC Threads::Threads)
  # The results of training/ are separate files, too.
  if(TARGET tessera_search)
    tessera_forest(search search/guided/backtracking.forest)
  endif()
  if(TARGET tessera_placer)
    tessera_forest(placer placer/first_choice.forest)
  endif()
  if(TARGET tessera_io)
    # The pages of `report` and of `explore`: styles and scripts are separate files.
    set(assets ${PROJECT_SOURCE_DIR}/io/report)
    set(uplot ${PROJECT_SOURCE_DIR}/third_party/uplot)
    set(page_style ${assets}/page.css)
    set(page_parts ${assets}/parts.js)
    set(report_script ${assets}/map.js ${assets}/timeline.js ${assets}/page.js)
    set(sweep_style ${assets}/sweep.css)
    set(sweep_script ${assets}/sweep_chart.js ${assets}/sweep_table.js ${assets}/sweep_modes.js
      ${assets}/sweep.js)
    set(plot_style ${uplot}/uPlot.min.css)
    set(plot_script ${uplot}/uPlot.iife.min.js)
    set(plot_licence ${uplot}/LICENSE)
    foreach(asset page_style page_parts report_script sweep_style sweep_script plot_style plot_script plot_licence)
      set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${${asset}})
      set(text "")
      foreach(file IN LISTS ${asset})
        file(READ ${file} more)
        string(APPEND text "${more}")
      endforeach()
      set(${asset} "${text}")
    endforeach()
    configure_file(${assets}/assets.cpp.in ${PROJECT_BINARY_DIR}/report_assets.cpp @ONLY)
    target_sources(tessera_io PRIVATE ${PROJECT_BINARY_DIR}/report_assets.cpp)
    find_package(yaml-cpp REQUIRED)
    find_package(nlohmann_json REQUIRED)
    target_link_libraries(tessera_io PRIVATE nlohmann_json::nlohmann_json)
    tessera_links(io yaml-cpp yaml-cpp)
    list(APPEND needs yaml-cpp)
    if(TESSERA_WITH_ONNX)
      tessera_onnx_messages(tessera_io)
      tessera_links(io protobuf-lite protobuf-lite)
      target_sources(tessera_io PRIVATE ${TESSERA_ONNX_SOURCE})
      set_source_files_properties(${TESSERA_ONNX_SOURCE} PROPERTIES
        COMPILE_OPTIONS -w SKIP_UNITY_BUILD_INCLUSION ON)
      list(APPEND needs protobuf-lite)
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
  if(TARGET tessera_baselines)
    if(have_cbc)
      set(cbc Cbc Cgl OsiClp Clp Osi CoinUtils)
      target_link_libraries(tessera_baselines PRIVATE ${cbc})
      list(APPEND baselines_need ${cbc})
    endif()
    if(have_gecode)
      set(gecode gecodesearch gecodeminimodel gecodeint gecodekernel gecodesupport)
      target_link_libraries(tessera_baselines PRIVATE ${gecode})
      list(APPEND baselines_need ${gecode})
    endif()
  endif()
  if(TARGET tessera_explorer)
    find_package(SQLite3 REQUIRED)  # Debian: libsqlite3-dev
    tessera_links(explorer sqlite3 SQLite::SQLite3)
    list(APPEND needs sqlite3)
  endif()
  if(TARGET tessera_placer)
    set(missing "")
    if(NOT TESSERA_WITH_Z3)
      list(APPEND missing TESSERA_WITHOUT_Z3)
    endif()
    if(NOT have_cbc)
      list(APPEND missing TESSERA_WITHOUT_CBC)
    endif()
    if(NOT have_gecode)
      list(APPEND missing TESSERA_WITHOUT_GECODE)
    endif()
    set_source_files_properties(${PROJECT_SOURCE_DIR}/placer/engines.cpp
      PROPERTIES COMPILE_DEFINITIONS "${missing}")
  endif()
  # The libraries that a program with the modules' objects has to link.
  set(TESSERA_NEEDS ${needs} PARENT_SCOPE)
  set(TESSERA_BASELINES_NEED ${baselines_need} PARENT_SCOPE)
endfunction()
