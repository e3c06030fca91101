#include "core/farm/address.h"

#include <fmt/format.h>

namespace loopglass::farm {

namespace {

std::string_view without_scheme(std::string_view url) {
  const auto scheme = url.find("://");
  return scheme == std::string_view::npos ? url : url.substr(scheme + 3);
}

bool has_user(std::string_view url) { return without_scheme(url).contains('@'); }

std::string_view host_of(std::string_view url) {
  std::string_view rest = without_scheme(url);
  rest = rest.substr(0, rest.find('/'));
  if (const auto user = rest.rfind('@'); user != std::string_view::npos)
    rest.remove_prefix(user + 1);
  if (rest.starts_with('[')) return rest.substr(1, rest.find(']') - 1);
  return rest.substr(0, rest.rfind(':'));
}

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

std::string shown(const Address& address) {
  std::string url = address.url;
  const auto user = url.rfind('@');
  if (user == std::string::npos) return url;
  const auto scheme = url.find("://");
  const std::size_t begin = scheme == std::string::npos || scheme > user ? 0 : scheme + 3;
  return url.erase(begin, user + 1 - begin);
}

Result<void> check(const Address& address) {
  const std::string_view url = address.url;
  const bool is_tls = url.starts_with("tls://");
  const std::string_view host = host_of(url);
  const bool has_scheme = url.contains("://");
  const bool is_word = !has_scheme && !url.contains(':') && !is_this_machine(host);
  if (host.empty() || is_word || (has_scheme && !is_tls && !url.starts_with("nats://")) ||
      url.find_first_of(" \t\r\n,") != std::string_view::npos)
    return fail(Code::UsageInvalid, "that is no address of a farm's server", shown(address),
                "nats://HOST:PORT, or tls://HOST:PORT");
  if (!is_tls && !is_this_machine(host) && address.token.empty() && !has_user(url))
    return fail(Code::UsageInvalid,
                "a farm over a network needs a token or TLS: whoever can write to its server "
                "decides what its workers run",
                shown(address),
                "start the server with --auth TOKEN and set LOOPGLASS_FARM_TOKEN, or use tls://");
  return {};
}

}  // namespace loopglass::farm
