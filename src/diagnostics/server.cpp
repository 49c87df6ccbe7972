// SPDX-License-Identifier: MIT
#include "diagnostics/server.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "diagnostics/listener.hpp"
#include "diagnostics/server_client.hpp"

namespace futon::diagnostics::detail {

/// What the thread works on. In the child of a fork it is neither used nor destroyed: the thread may have been amid a change.
class Server::Serving {
public:
    Serving(const std::string& path, std::function<std::string()> snapshot);
    ~Serving();

    bool is_of_this_process() const noexcept { return is_of_this_process_; }

private:
    /// The servers of this process. Its mutex is held wherever descriptors come and go, and by a thread that forks: so a child
    /// finds each descriptor of its parent's servers, and closes it.
    struct All {
        std::mutex mutex;
        std::vector<Serving*> servings;  // and those of its parents, so that a checker of leaks finds them

        static All& get() noexcept;
        static void after_fork() noexcept;
    };

    static void* run(void* serving) noexcept;
    void run() noexcept;
    int wait();
    void accept();
    void go_on_with(ServerClient& client, short events) noexcept;
    void dismiss_one();
    void start();

    const std::function<std::string()> snapshot_;
    Listener listener_;
    Descriptor wake_, woken_;  // a pair: the thread ends once the first one is shut down
    std::vector<ServerClient> clients_;
    std::vector<pollfd> polled_;  // woken_, listener_, then clients_
    std::size_t heard_ = 0;
    bool is_short_of_descriptors_ = false;
    bool is_of_this_process_ = true;
    pthread_t thread_{};
};

Server::Serving::All& Server::Serving::All::get() noexcept {
    static All& all = *new All;  // never destroyed: a program may fork, and stop a server, after all static objects
    return all;
}

void Server::Serving::All::after_fork() noexcept {
    All& all = get();
    for (Serving* serving : all.servings) {
        if (!std::exchange(serving->is_of_this_process_, false)) continue;  // closed already, in a parent
        serving->listener_.close();
        serving->wake_.close();
        serving->woken_.close();
        for (ServerClient& client : serving->clients_) client.close();
    }
    all.mutex.unlock();
}

Server::Serving::Serving(const std::string& path, std::function<std::string()> snapshot)
    : snapshot_(std::move(snapshot)), listener_(path) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
        throw std::system_error(errno, std::generic_category(),
                                "futon::diagnostics::serve: cannot make a pair of sockets");
    wake_ = Descriptor(ends[0]);
    woken_ = Descriptor(ends[1]);
    clients_.reserve(most_clients);
    polled_.reserve(most_clients + 2);
    start();
}

void Server::Serving::start() {
    static const int handlers =
        pthread_atfork([] { All::get().mutex.lock(); }, [] { All::get().mutex.unlock(); }, All::after_fork);
    int error = handlers;
    if (error == 0) {
        const std::scoped_lock hold(All::get().mutex);
        All::get().servings.push_back(this);
    }
    if (error == 0) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);  // a thread begins with the mask of the one that makes it
        error = pthread_create(&thread_, nullptr, run, this);
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    if (error != 0) {
        const std::scoped_lock hold(All::get().mutex);
        std::erase(All::get().servings, this);
        throw std::system_error(error, std::generic_category(), "futon::diagnostics::serve: cannot start a thread");
    }
}

Server::Serving::~Serving() {
    shutdown(wake_.number(), SHUT_RDWR);  // a close would not do if a process that was made without handlers has a copy
    pthread_join(thread_, nullptr);
    const std::scoped_lock hold(All::get().mutex);
    std::erase(All::get().servings, this);
    wake_.close();
    woken_.close();
}

void* Server::Serving::run(void* serving) noexcept {
    static_cast<Serving*>(serving)->run();
    return nullptr;
}

void Server::Serving::run() noexcept {
    while (wait() >= 0 && polled_[0].revents == 0) {
        for (std::size_t i = 0; i < clients_.size(); ++i) go_on_with(clients_[i], polled_[i + 2].revents);
        {
            const std::scoped_lock hold(All::get().mutex);
            std::erase_if(clients_, [](const ServerClient& client) { return client.number() < 0; });
        }
        if (polled_[1].revents != 0 || is_short_of_descriptors_) accept();
    }
    const std::scoped_lock hold(All::get().mutex);
    listener_.remove();
    for (ServerClient& client : clients_) client.close();
}

/// Waits until there is something to do. Returns a negative number if that is impossible: the process may be allowed fewer
/// descriptors than before.
int Server::Serving::wait() {
    int timeout = -1;
    polled_.assign({{woken_.number(), POLLIN, 0}, {listener_.number(), POLLIN, 0}});
    if (is_short_of_descriptors_) {  // the listener stays ready: it would wake the thread at once, again and again
        polled_[1].fd = -1;
        timeout = 100;
    }
    for (const ServerClient& client : clients_) {
        polled_.push_back({client.number(), client.events(), 0});
        if (client.has_line()) timeout = 0;
    }
    for (;;) {
        const int ready = poll(polled_.data(), static_cast<nfds_t>(polled_.size()), timeout);
        if (ready >= 0 || (errno != EINTR && errno != EAGAIN && errno != ENOMEM)) return ready;
    }
}

void Server::Serving::go_on_with(ServerClient& client, short events) noexcept {
    if (events == 0 && !client.has_line()) return;
    client.heard = ++heard_;
    bool stays = false;
    try {
        stays = client.go_on(snapshot_);
    } catch (const std::bad_alloc&) {  // the client may ask again
    }
    if (stays) return;
    const std::scoped_lock hold(All::get().mutex);
    client.close();
}

void Server::Serving::accept() {
    const std::scoped_lock hold(All::get().mutex);
    int error = 0;
    for (int taken = 0; taken < most_clients; ++taken) {
        Descriptor socket = listener_.accept(error);
        if (!socket) break;
        if (clients_.size() == most_clients) dismiss_one();
        clients_.emplace_back(std::move(socket)).heard = ++heard_;
    }
    is_short_of_descriptors_ = error != 0;
}

/// Makes room for a new client.
void Server::Serving::dismiss_one() {
    const auto silent =
        std::min_element(clients_.begin(), clients_.end(),
                         [](const ServerClient& one, const ServerClient& other) { return one.heard < other.heard; });
    try {
        silent->dismiss("too many clients: this one was silent for longest");
    } catch (const std::bad_alloc&) {  // then without a word
    }
    clients_.erase(silent);
}

Server::Server(std::string path, std::function<std::string()> snapshot)
    : path_(std::move(path)), serving_(std::make_unique<Serving>(path_, std::move(snapshot))) {}

Server::~Server() {
    stop();
}

void Server::stop() noexcept {
    if (serving_ && !serving_->is_of_this_process())
        static_cast<void>(serving_.release());  // All has it
    else
        serving_.reset();
}

}  // namespace futon::diagnostics::detail
