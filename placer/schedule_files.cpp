#include <algorithm>
#include <optional>
#include <string>

#include "io/files.h"
#include "io/tile_graph_json.h"
#include "model/json_write.h"
#include "tessera/schedule.h"

namespace tessera {

bool is_tile_graph_file(const std::string& path) {
  if (!io::beginning_of(path)) return false;
  return io::is_tile_graph_json(io::read_file(io::input_path(path)));
}

TileGraph load_tile_graph(const std::string& path) {
  return io::read_tile_graph_json(io::read_file(io::input_path(path)), path);
}

TileGraph read_tile_graph_text(std::string_view text, const std::string& name) {
  return io::read_tile_graph_json(text, name);
}

TileSchedule load_tile_schedule(const std::string& path) {
  return io::read_tile_schedule_json(io::read_file(io::input_path(path)), path);
}

TileSchedule read_tile_schedule_text(std::string_view text, const std::string& name) {
  return io::read_tile_schedule_json(text, name);
}

std::string tile_schedule_json(const ScheduleResult& result) {
  return io::write_tile_schedule_json(result.schedule, result.latencies);
}

std::string schedule_json(const ScheduleResult& result) {
  std::string out;
  JsonObject object(out);
  object.text("tessera", "schedule/1");
  object.text("status", to_string(result.status));
  object.text("stop", to_string(result.stop));
  object.text("reading", to_string(result.reading));
  object.real("latency", result.latency);
  object.real("bound", result.bound);
  object.real("gap", result.latency > 0 ? 1 - result.bound / result.latency : 0);
  object.truth("proved", result.proved);
  object.number("peak", result.peak);
  object.number("steps", static_cast<std::int64_t>(result.schedule.steps.size()));
  for (const auto& [name, value] : result.stats)
    if (const auto* number = std::get_if<std::int64_t>(&value)) object.number(name, *number);
  object.real("seconds", result.seconds);
  object.close();
  return out + "\n";
}

}  // namespace tessera
