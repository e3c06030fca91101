#include "core/loop/watched_run.h"

#include "core/loop/buffers.h"
#include "core/support/check.h"

#include <cstring>

namespace loopglass::loop {
namespace {

constexpr std::int64_t most_bytes = 256 << 20;  // of all arguments

void fill_of_either_sign(Tensor& tensor) {
  std::memset(tensor.data(), 0, tensor.bytes());
  visit_type(tensor.data_type(), [&]<class T>(T) {
    if constexpr (!std::is_integral_v<T>) {
      std::uint64_t state = 1;
      for (T& value : tensor.as<T>()) {
        state = state * 6364136223846793005 + 1442695040888963407;
        value = static_cast<T>(static_cast<double>(state >> 61) / 2 - 1.75);
      }
    }
  });
}

}  // namespace

WatchedRun::WatchedRun(const Func& func, std::map<std::string, std::int64_t> symbols,
                       std::int64_t most_accesses)
    : func_(func), symbols_(std::move(symbols)), most_accesses_(most_accesses) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : buffers_of(func)) {
    const auto shape = shape_of(buffer, symbols_);
    const auto elements = shape ? checked_element_count(*shape) : std::nullopt;
    if (!elements || *elements > most_bytes) return;
    bytes += *elements * static_cast<std::int64_t>(byte_size(buffer.type));
    if (bytes > most_bytes) return;
    shapes_[buffer.name] = *shape;
  }
  can_run_ = true;
}

bool WatchedRun::operator()(
    const std::function<void(const AccessEvent&, std::int64_t)>& watch) const {
  std::vector<Tensor> arguments;
  for (const Buffer& parameter : func_.parameters) {
    arguments.emplace_back(TensorType{parameter.type, shapes_.at(parameter.name)});
    fill_of_either_sign(arguments.back());
  }
  std::int64_t number = 0;
  try {
    interpret_plainly(func_, arguments, symbols_, [&](const AccessEvent& event) {
      if (number == most_accesses_) throw Enough{};
      watch(event, number++);
    });
  } catch (const Enough&) {
    return false;
  } catch (const InternalError&) {  // an index outside its buffer: on these numbers only, perhaps
    return false;
  }
  return true;
}

}  // namespace loopglass::loop
