// Fixed offsets and address windows.
#include "layers.h"

namespace tessera::encoder {

void add_windows(Context& context) {
  for (BufferIndex b = 0; b < context.problem.buffers.size(); ++b) {
    const Buffer& buffer = context.problem.buffers[b];
    const IntIndex x = context.offset(b);
    if (buffer.offset) {
      context.require({b}, {context.formula.at_least(x, fixed(*buffer.offset))});
      context.require({b}, {-context.formula.above(x, fixed(*buffer.offset))});
    }
    if (buffer.window) {
      context.require({b}, {context.starts_at_or_above(b, buffer.window->begin)});
      context.require({b}, {context.ends_at_or_below(b, buffer.window->end)});
    }
  }
}

}  // namespace tessera::encoder
