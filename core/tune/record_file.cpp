// Appending records, so that a writer may be killed at any moment.
#include "core/tune/record.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace loopglass::tune {

namespace {

const FileKind kind{Code::RecordsUnwritable, "the records"};

}  // namespace

namespace {

bool is_pipe(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_fifo(file, ignored) || std::filesystem::is_socket(file, ignored);
}

std::unexpected<Diagnostic> unreadable(const std::filesystem::path& file, std::string_view why) {
  return fail(Code::RecordsUnreadable, fmt::format("the records cannot be read: {}", why),
              file.string(), "name a file that loopglassc tune has written");
}

}  // namespace

Result<Records> read_records(const std::filesystem::path& file) {
  std::error_code ignored;
  if (is_pipe(file)) return unreadable(file, "it is a pipe or a socket");
  if (std::filesystem::is_directory(file, ignored)) return unreadable(file, "it is a folder");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return unreadable(file, std::strerror(errno));
  // A device may go on for ever, unless it has nothing at all.
  if (std::filesystem::is_character_file(file, ignored)) {
    if (stream.get() != std::ifstream::traits_type::eof())
      return unreadable(file, "it is a device");
    return Records{};
  }
  std::ostringstream text;
  text << stream.rdbuf();
  auto records = parse_records(text.str());
  if (!records) records.error().where = file.string();
  return records;
}

Result<std::unique_ptr<RecordFile>> RecordFile::open(const std::filesystem::path& file) {
  Records before;
  std::error_code ignored;
  const bool is_regular = std::filesystem::is_regular_file(file, ignored);
  // A file of something else is not written to.
  if (is_pipe(file))
    return fail(Code::RecordsUnwritable, "records are a file, and this is a pipe or a socket",
                file.string());
  if (is_regular && std::filesystem::file_size(file, ignored) > 0) before = TRY(read_records(file));
  const int descriptor = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return refuse_file(kind, "written", errno, file);
  std::unique_ptr<RecordFile> records(new RecordFile(file, descriptor));
  for (const auto& [workload, nest] : before.nests) records->workloads_[workload] = true;
  const off_t size = is_regular ? ::lseek(descriptor, 0, SEEK_END) : 0;
  char last = '\n';
  if (size > 0 && ::pread(descriptor, &last, 1, size - 1) == 1 && last != '\n')
    TRY_VOID(records->append("\n"));
  return records;
}

RecordFile::~RecordFile() { ::close(descriptor_); }

Result<void> RecordFile::append(const std::string& line) {
  const std::lock_guard lock(mutex_);
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && status.st_nlink == 0)
    return fail(Code::RecordsUnwritable, "the records' file was removed meanwhile", path_.string(),
                "what follows would be written nowhere");
  // One write: what another process appends comes before or behind it. Behind half a line, which a
  // full disk left, a new one begins.
  const std::string bytes = is_torn_ ? "\n" + line : line;
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int reason = errno;
      is_torn_ = is_torn_ || written > 0;
      return refuse_file(kind, "written", reason, path_);
    }
    written += static_cast<std::size_t>(count);
  }
  is_torn_ = false;
  return {};
}

Result<void> RecordFile::append_workload(const std::string& workload, const std::string& kernel,
                                         const loop::Func& nest) {
  {
    const std::lock_guard lock(mutex_);
    if (workloads_[workload]) return {};
  }
  TRY_VOID(append(workload_line(workload, kernel, nest)));
  const std::lock_guard lock(mutex_);
  workloads_[workload] = true;
  return {};
}

}  // namespace loopglass::tune
