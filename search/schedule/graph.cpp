#include "search/schedule/graph.h"

#include <algorithm>
#include <utility>

namespace tessera::search {

GroupGraph group_graph(std::vector<std::vector<OpId>> reads, std::vector<std::int64_t> size,
                       std::int64_t capacity) {
  GroupGraph graph{.reads = std::move(reads), .size = std::move(size), .capacity = capacity};
  graph.readers.resize(graph.ops());
  for (OpId op = 0; op < graph.ops(); ++op) {
    std::vector<OpId>& mine = graph.reads[op];
    std::ranges::sort(mine);
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    for (const OpId item : mine) graph.readers[item].push_back(op);
  }
  return graph;
}

}  // namespace tessera::search
