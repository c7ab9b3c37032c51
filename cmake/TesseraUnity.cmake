# Builds compile files of one folder together (CMAKE_UNITY_BUILD, on by default): headers are read and templates
# instantiated once per group instead of once per file, which takes a quarter of the time. The sources of a group have
# about `bytes` bytes: large groups have less to read, small groups share the processors evenly and are soon compiled
# again after an edit. Two files of a group cannot use one name for two things in their unnamed namespaces; rename one of
# them. -DCMAKE_UNITY_BUILD=OFF (preset `files`) compiles file by file.
#
#   tessera_unity_groups(target bytes FILES...)
function(tessera_unity_groups target bytes)
  set_property(TARGET ${target} PROPERTY UNITY_BUILD_MODE GROUP)
  set(folders "")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "/" "_" name "${name}")
    file(SIZE ${file} size)
    math(EXPR size_of_${name} "0${size_of_${name}} + ${size}")
    list(APPEND folders ${name})
    list(APPEND files_of_${name} ${file})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(name IN LISTS folders)
    math(EXPR parts "(${size_of_${name}} + ${bytes} - 1) / ${bytes}")
    set(begin 0)
    foreach(file IN LISTS files_of_${name})
      math(EXPR part "${begin} * ${parts} / ${size_of_${name}}")
      set_property(SOURCE ${file} PROPERTY UNITY_GROUP ${name}_${part})
      file(SIZE ${file} size)
      math(EXPR begin "${begin} + ${size}")
    endforeach()
  endforeach()
endfunction()
