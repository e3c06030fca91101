#include "core/tensor/npy.h"

#include "core/support/file_refusal.h"
#include "core/support/whole_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>

namespace loopglass {

namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they lie");

constexpr std::string_view magic = "\x93NUMPY";

struct Row {
  std::string_view letters;  // NumPy's kind and bytes
  DataType type;
};
constexpr std::array rows{
    Row{"f2", DataType::Float16}, Row{"f4", DataType::Float32}, Row{"f8", DataType::Float64},
    Row{"i1", DataType::Int8},    Row{"i2", DataType::Int16},   Row{"i4", DataType::Int32},
    Row{"i8", DataType::Int64},   Row{"u1", DataType::UInt8},   Row{"u2", DataType::UInt16},
    Row{"u4", DataType::UInt32},  Row{"u8", DataType::UInt64},  Row{"b1", DataType::Bool}};

std::unexpected<Diagnostic> malformed(const std::string& what) {
  return fail(Code::TestDataUnreadable, what, {}, "numpy.save writes such files");
}

// What stands behind a key in the header, a dictionary of Python's, up to the next key or its end.
std::string_view value_of(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{0}{1}{0}", quote, key);
    const std::size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    const std::size_t colon = header.find(':', at + quoted.size());
    if (colon == std::string_view::npos) continue;
    const std::size_t begin = header.find_first_not_of(' ', colon + 1);
    return begin == std::string_view::npos ? std::string_view() : header.substr(begin);
  }
  return {};
}

// "(3, 4)", "(3,)", "()".
Result<Shape> shape_in(std::string_view text) {
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos)
    return malformed("the header has no shape");
  text = text.substr(1, end - 1);
  Shape shape;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.empty()) return shape;
    std::int64_t extent = -1;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0)
      return malformed("the header's shape is not one of extents");
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  }
}

void swap_bytes(Tensor& tensor) {
  const std::size_t size = byte_size(tensor.data_type());
  for (std::size_t at = 0; at < tensor.bytes(); at += size)
    std::reverse(tensor.data() + at, tensor.data() + at + size);
}

// From columns first to rows first.
Result<Tensor> transposed(const Tensor& columns, const Shape& shape) {
  Tensor result = TRY(Tensor::allocate({columns.data_type(), shape}));
  const std::size_t size = byte_size(columns.data_type());
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::int64_t to = 0; to < result.elements(); ++to) {
    std::int64_t from = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) from = from * shape[axis] + index[axis];
    std::copy_n(columns.data() + static_cast<std::size_t>(from) * size, size,
                result.data() + static_cast<std::size_t>(to) * size);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return result;
}

}  // namespace

Result<Tensor> parse_npy(std::string_view bytes) {
  if (!bytes.starts_with(magic) || bytes.size() < 10) return malformed("this is no .npy file");
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    return malformed(fmt::format("this is version {} of .npy files; 1 to 3 are known", version));
  const std::size_t begin = version == 1 ? 10 : 12;
  if (bytes.size() < begin) return malformed("the file ends in its header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - begin) return malformed("the file ends in its header");
  const std::string_view header = bytes.substr(begin, length);
  const std::string_view content = bytes.substr(begin + length);

  const std::string_view described = value_of(header, "descr");
  const std::size_t end =
      described.size() < 2 ? std::string_view::npos : described.find_first_of("'\"", 1);
  if (end == std::string_view::npos || (described[0] != '\'' && described[0] != '"'))
    return fail(Code::TypeUnsupported, "its elements are records, or of no known type", {},
                "save numbers of one type");
  std::string_view letters = described.substr(1, end - 1);
  const bool is_big = letters.starts_with('>');
  if (letters.starts_with('<') || letters.starts_with('>') || letters.starts_with('|') ||
      letters.starts_with('='))
    letters.remove_prefix(1);
  const auto row = std::ranges::find(rows, letters == "?" ? "b1" : letters, &Row::letters);
  if (row == rows.end())
    return fail(Code::TypeUnsupported,
                fmt::format("its elements are '{}', as NumPy calls them", letters), {},
                "save them as numbers: array.astype('float32')");

  const Shape shape = TRY(shape_in(value_of(header, "shape")));
  const auto count = checked_element_count(shape);
  const std::size_t size = byte_size(row->type);
  // Nobody makes us allocate what has not come.
  if (!count || static_cast<std::size_t>(*count) > content.size() / size)
    return malformed(fmt::format("{} bytes are fewer than its shape ({}) takes", content.size(),
                                 fmt::join(shape, ", ")));
  const bool is_columns = value_of(header, "fortran_order").starts_with("True");
  Tensor tensor = TRY(Tensor::allocate({row->type, shape}));
  std::copy_n(reinterpret_cast<const std::byte*>(content.data()), tensor.bytes(), tensor.data());
  if (is_big) swap_bytes(tensor);
  if (row->type == DataType::Bool)
    std::transform(tensor.data(), tensor.data() + tensor.bytes(), tensor.data(),
                   [](std::byte each) { return each == std::byte{0} ? each : std::byte{1}; });
  return is_columns && shape.size() > 1 ? transposed(tensor, shape) : std::move(tensor);
}

Result<Tensor> read_npy(const std::filesystem::path& path) {
  constexpr FileKind kind{Code::TestDataUnreadable, "the tensor"};
  std::error_code error;
  // Reading a device or a pipe may never end.
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return fail(kind.unreachable, "this is not a regular file", path.string());
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return refuse_file(kind, "read", errno, path);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) return refuse_file(kind, "read", errno, path);
  auto tensor = parse_npy(bytes);
  if (!tensor) tensor.error().where = path.string();
  return tensor;
}

std::string to_npy(const Tensor& tensor) {
  const auto row = std::ranges::find(rows, tensor.data_type(), &Row::type);
  std::string shape;
  for (const std::int64_t extent : tensor.shape()) shape += fmt::format("{}, ", extent);
  // One extent has a comma behind it; of more, none.
  if (tensor.shape().size() == 1) shape.pop_back();
  else if (!shape.empty()) shape.resize(shape.size() - 2);
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   byte_size(row->type) == 1 ? '|' : '<', row->letters, shape);
  // The elements begin at a multiple of 64 bytes.
  constexpr std::size_t before = 10, alignment = 64;
  header.append(alignment - (before + header.size() + 1) % alignment, ' ');
  header += '\n';
  std::string bytes(magic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
            static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.data()), tensor.bytes());
  return bytes;
}

Result<void> write_npy(const Tensor& tensor, const std::filesystem::path& path) {
  return write_file(path, to_npy(tensor), {Code::FileUnwritable, "the tensor"});
}

}  // namespace loopglass
