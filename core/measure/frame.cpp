#include "core/measure/frame.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace loopglass::measure {
namespace {

constexpr std::array<char, 4> magic{'L', 'G', 'F', 'R'};

struct Header {
  std::array<char, 4> begin = magic;
  std::uint32_t version = frame_version;
  std::uint64_t number = 0, job = 0, text = 0, bytes = 0;
};
static_assert(sizeof(Header) == 40, "no gaps");

using Outcome = std::expected<void, BadFrame>;

std::unexpected<BadFrame> bad(FrameProblem problem, std::string what) {
  return std::unexpected(BadFrame{problem, std::move(what)});
}
std::unexpected<BadFrame> refused(int error) {
  return bad(FrameProblem::Refused, fmt::format("the system refused: {}", std::strerror(error)));
}

// Until the descriptor is ready, or somebody is out of patience.
Outcome wait_for(int descriptor, short events, const Patience& patience) {
  // Cancelling is noticed that late.
  constexpr std::chrono::milliseconds slice(20);
  for (;;) {
    if (patience.cancellation.requested()) return bad(FrameProblem::Cancelled, "it was cancelled");
    auto wait = slice;
    if (patience.deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(
          *patience.deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return bad(FrameProblem::Late, "there was no answer in time");
      wait = std::min(wait, left);
    }
    pollfd ready{descriptor, events, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(wait.count()));
    if (count > 0) return {};
    if (count < 0 && errno != EINTR) return refused(errno);
  }
}

enum class AtEnd : std::uint8_t { Torn, Closed };

Outcome read_into(int descriptor, char* place, std::size_t size, const Patience& patience,
                  AtEnd nothing_yet = AtEnd::Torn) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t count = ::read(descriptor, place + at, size - at);
    if (count > 0) {
      at += static_cast<std::size_t>(count);
    } else if (count == 0 || errno == ECONNRESET) {
      if (at == 0 && nothing_yet == AtEnd::Closed)
        return bad(FrameProblem::Closed, "the other end is closed");
      return bad(FrameProblem::Torn, "the other end broke off in the middle of a frame");
    } else if (errno == EAGAIN) {
      if (auto ready = wait_for(descriptor, POLLIN, patience); !ready) return ready;
    } else if (errno != EINTR) {
      return refused(errno);
    }
  }
  return {};
}

// Memory grows with what has arrived, not with what was promised.
Outcome read_part(int descriptor, std::string& part, std::uint64_t size, const Patience& patience) {
  constexpr std::size_t first = 1 << 20;
  while (part.size() < size) {
    const std::size_t have = part.size();
    part.resize(std::min<std::size_t>(size, std::max(first, 2 * have)));
    if (auto done = read_into(descriptor, part.data() + have, part.size() - have, patience); !done)
      return done;
  }
  return {};
}

// A socket is written to without a signal; a pipe's reader must be watched by who owns the process.
ssize_t write_some(int descriptor, const char* text, std::size_t size) {
  const ssize_t count = ::send(descriptor, text, size, MSG_NOSIGNAL);
  return count < 0 && errno == ENOTSOCK ? ::write(descriptor, text, size) : count;
}

Outcome write_all(int descriptor, std::string_view text, const Patience& patience) {
  while (!text.empty()) {
    const ssize_t count = write_some(descriptor, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      if (auto ready = wait_for(descriptor, POLLOUT, patience); !ready) return ready;
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return bad(FrameProblem::Closed, "the other end is closed");
    } else if (errno != EINTR) {
      return refused(errno);
    }
  }
  return {};
}

}  // namespace

std::expected<Frame, BadFrame> read_frame(int descriptor, const Patience& patience) {
  Header header;
  if (auto done = read_into(descriptor, reinterpret_cast<char*>(&header), sizeof(header), patience,
                            AtEnd::Closed);
      !done)
    return std::unexpected(done.error());
  if (header.begin != magic) return bad(FrameProblem::Unreadable, "what came is no frame");
  if (header.version != frame_version)
    return bad(
        FrameProblem::OtherVersion,
        fmt::format("the other end speaks version {}, this one {}", header.version, frame_version));
  if (header.job > longest_job || header.text > longest_text || header.bytes > longest_bytes)
    return bad(FrameProblem::Unreadable,
               fmt::format("a frame of {}, {} and {} bytes is longer than any", header.job,
                           header.text, header.bytes));
  Frame frame{header.number, {}, {}, {}};
  for (const auto& [part, size] : {std::pair{&frame.job, header.job},
                                   {&frame.text, header.text},
                                   {&frame.bytes, header.bytes}})
    if (auto done = read_part(descriptor, *part, size, patience); !done)
      return std::unexpected(done.error());
  return frame;
}

std::expected<void, BadFrame> write_frame(int descriptor, const Frame& frame,
                                          const Patience& patience) {
  const Header header{
      magic, frame_version, frame.number, frame.job.size(), frame.text.size(), frame.bytes.size()};
  if (header.job > longest_job || header.text > longest_text || header.bytes > longest_bytes)
    return bad(FrameProblem::Unreadable, "this is longer than any frame");
  std::string front(reinterpret_cast<const char*>(&header), sizeof(header));
  front.append(frame.job).append(frame.text);
  if (auto done = write_all(descriptor, front, patience); !done) return done;
  return write_all(descriptor, frame.bytes, patience);
}

}  // namespace loopglass::measure
