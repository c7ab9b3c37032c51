# Builds compile the files of one folder together (CMAKE_UNITY_BUILD, on by default): headers are read and templates
# instantiated once per group instead of once per file, which takes a quarter of the time. A large folder is split
# into groups of about `most` files, so that two cores have enough to share. Two files of a group cannot use one name
# for two things in their unnamed namespaces; rename one of them. -DCMAKE_UNITY_BUILD=OFF (preset `files`) compiles
# file by file.
#
#   tessera_unity_groups(target FILES...)
function(tessera_unity_groups target)
  set_property(TARGET ${target} PROPERTY UNITY_BUILD_MODE GROUP)
  set(most 26)
  set(folders "")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "/" "_" name "${name}")
    list(APPEND folders ${name})
    list(APPEND files_of_${name} ${file})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(name IN LISTS folders)
    list(LENGTH files_of_${name} count)
    math(EXPR parts "(${count} + ${most} - 1) / ${most}")
    set(index 0)
    foreach(file IN LISTS files_of_${name})
      math(EXPR part "${index} * ${parts} / ${count}")
      set_property(SOURCE ${file} PROPERTY UNITY_GROUP ${name}_${part})
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
endfunction()
