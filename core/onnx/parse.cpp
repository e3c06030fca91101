#include "core/onnx/parse.h"

#include "core/onnx/file.h"
#include "core/onnx/one_line_names.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <onnx/onnx_pb.h>
#include <limits>
#include <new>
#include <type_traits>

namespace loopglass::onnx {

namespace {

namespace pb = google::protobuf;

// Two bytes of a hostile file can ask for a message of two hundred, so parsing happens in an arena
// that stops growing at a multiple of the file's size. Packed numbers of one byte each become
// eight, and the arena keeps outgrown arrays: 16 times is honest, 32 is the limit.
constexpr std::int64_t arena_factor = 32;
constexpr std::int64_t arena_base = std::int64_t{64} << 20;

struct ArenaExhausted : std::bad_alloc {};

// How much the arena may still take on this thread; null outside of parsing.
thread_local std::int64_t* arena_allowance = nullptr;

void* allocate_block(std::size_t bytes) {
  if (arena_allowance != nullptr) {
    *arena_allowance -= static_cast<std::int64_t>(bytes);
    if (*arena_allowance < 0) throw ArenaExhausted();
  }
  return ::operator new(bytes);
}

void free_block(void* block, std::size_t) { ::operator delete(block); }

class AllowanceScope {
 public:
  explicit AllowanceScope(std::int64_t& bytes) { arena_allowance = &bytes; }
  ~AllowanceScope() { arena_allowance = nullptr; }
};

// So many bytes; `name`: what to call them.
template <class Message>
Result<Parsed<Message>> parse(pb::io::ZeroCopyInputStream& input, std::int64_t bytes,
                              const std::string& name) {
  constexpr bool is_model = std::is_same_v<Message, ::onnx::ModelProto>;
  pb::ArenaOptions options;
  options.block_alloc = allocate_block;
  options.block_dealloc = free_block;
  auto arena = std::make_shared<pb::Arena>(options);
  std::int64_t allowance = arena_base + arena_factor * bytes;
  try {
    const AllowanceScope scope(allowance);
    auto* message = pb::Arena::CreateMessage<Message>(arena.get());
    pb::io::CodedInputStream stream(&input);
    // The default is generous for models (a subgraph takes three levels) and safe for the stack.
    stream.SetRecursionLimit(100);
    if (bytes == 0 || !message->ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
      return fail(Code::ModelCorrupt, "the file is truncated or not a protobuf message", name,
                  is_model ? "ONNX models are such messages; kernels written as text end in .te or "
                             ".loops, sessions in .loopglass"
                           : "");
    if constexpr (is_model) put_names_on_one_line(*message);
    return Parsed<Message>{arena, message};
  } catch (const std::bad_alloc&) {
    return fail(Code::ModelTooLarge,
                fmt::format("parsing {} bytes takes more than {} bytes of memory", bytes,
                            arena_base + arena_factor * bytes),
                name);
  }
}

template <class Message>
Result<Parsed<Message>> parse(const std::filesystem::path& path) {
  const File file = TRY(File::open(path, Code::ModelUnreadable));
  if (file.bytes() >= std::numeric_limits<int>::max())
    return fail(Code::ModelTooLarge,
                fmt::format("the file has {} bytes; protobuf reads less than 2 GiB", file.bytes()),
                path.string(), "export the model with its weights as external data");
  pb::io::FileInputStream input(file.descriptor(), 1 << 20);
  return parse<Message>(input, file.bytes(), path.string());
}

}  // namespace

Result<Parsed<::onnx::ModelProto>> parse_model(const std::filesystem::path& path) {
  return parse<::onnx::ModelProto>(path);
}

Result<Parsed<::onnx::ModelProto>> parse_model(std::string_view bytes, const std::string& name) {
  CHECK(bytes.size() < std::numeric_limits<int>::max(), "protobuf reads less than 2 GiB");
  pb::io::ArrayInputStream input(bytes.data(), static_cast<int>(bytes.size()));
  return parse<::onnx::ModelProto>(input, static_cast<std::int64_t>(bytes.size()), name);
}

Result<Parsed<::onnx::TensorProto>> parse_tensor(const std::filesystem::path& path) {
  return parse<::onnx::TensorProto>(path);
}

}  // namespace loopglass::onnx
