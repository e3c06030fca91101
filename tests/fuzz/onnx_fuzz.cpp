// ONNX models as bytes: refused with a diagnostic, or imported as a graph that its text form holds.
#include "core/graph/text.h"
#include "core/onnx/import.h"
#include "tests/fuzz/round_trip.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace loopglass;

// The importer reads files; this one is never on a disk.
static std::filesystem::path file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("model", 0);
  const bool written =
      ::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size);
  fuzz::require(written, "the model cannot be written", {});
  return "/proc/self/fd/" + std::to_string(file);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path file = file_of(data, size);
  static_cast<void>(onnx::read_inputs(file));
  static_cast<void>(onnx::read_named_tensor(file));
  const auto model = onnx::import(file, {});
  if (!model) {
    fuzz::require(model.error().code != Code::InternalDefect, "a defect", to_string(model.error()));
    return 0;
  }
  const std::string text = graph::to_text(model->graph);
  const auto again = graph::parse(text, &model->graph);
  fuzz::require(again.has_value(), "the text of the graph does not parse:", text,
                again ? "" : to_string(again.error()));
  fuzz::require(graph::to_text(*again) == text, "the text of the graph changes:", text);
  return 0;
}
