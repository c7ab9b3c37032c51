// dsa-solver problem documents, schema version 1 (github.com/tonibohnlein/dsa-solver).
//
//   DsaJson read = read_dsa_json_file("kernel.json");
//
// Mapping:
//   pool                    memory; capacity null: unbounded; bank_geometry: banks, where they add
//                           up to the capacity (they carry no rule in that schema)
//   buffer                  its `name` where all names are different and not empty, else its id as
//                           text; touching or overlapping live intervals are joined
//   colocations             same_offset over each transitive class. A class is one allocation as
//                           large as its largest member, so every member gets that size
//   separations             disjoint
//   temporal_exclusions     may_overlap
//   pinned_allocations      memory and fixed offset; exclusive_for_all_time: disjoint with every
//                           buffer outside its class that may share its memory
//   reuse_penalties         avoid_overlap; zero costs and pairs of one class (which never pay) drop
//   objective               total_peak and max_peak give minimize_height, reuse_cost with penalties
//                           minimize_cost, in their order, each once; fit if there is none. A note
//                           reports any difference in meaning
//   pypto_structure, profile, metadata and reasons: checked for form; they carry no rule
// Steps are not negative and quantities at most 2^60, as everywhere in this program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/source.h"
#include "tessera/problem.h"

namespace tessera::io {

struct DsaJson {
  PlacementProblem problem;
  SourceMap source;
  std::vector<std::string> notes;  ///< parts of the document without effect, as sentences
};

/// `memories`, if any, replace the pools with the same names. `file` is only for messages. ensure:
/// validate(result.problem) is empty.
[[nodiscard]] DsaJson read_dsa_json(std::string_view text, const std::string& file,
                                    const std::vector<Memory>& memories = {});
[[nodiscard]] DsaJson read_dsa_json_file(const std::filesystem::path& path,
                                         const std::vector<Memory>& memories = {});

}  // namespace tessera::io
