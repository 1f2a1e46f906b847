import Foundation

/// Where the server's time goes, by perf: stacks that were sampled while a measure ran, and as a picture (Brendan
/// Gregg, "The Flame Graph", ACM Queue 14(2), 2016): a box is as wide as the time spent in a function or below it.
struct BenchFlame: Sendable {
    /// Sampled together: how often each stack was seen, outermost function first.
    private let stacks: [(frames: [Substring], count: Int)]

    /// Samples `process` for the seconds of a measure. Needs perf, and a program with its symbols (`deploy/build.sh
    /// profile`).
    static func record(_ process: Int32, seconds: Int, in folder: URL) async throws -> BenchFlame {
        let data = folder.appendingPathComponent("perf.data"), text = folder.appendingPathComponent("perf.txt")
        let perf = URL(fileURLWithPath: "/usr/bin/perf"), log = folder.appendingPathComponent("perf.log")
        let recorded = try await BenchProcess.run(
            perf,
            ["record", "-q", "-F", "999", "-g", "-o", data.path, "-p", "\(process)", "--", "sleep", "\(seconds)"],
            output: log, limit: seconds + 30)
        let told = try await BenchProcess.run(
            perf, ["script", "-i", data.path, "-F", "comm,ip,sym,dso"], output: text, limit: 120)
        guard recorded == 0, told == 0 else { throw BenchFailure.noPerf }
        return BenchFlame(script: try String(contentsOf: text, encoding: .utf8))
    }

    /// From what `perf script` prints: a line of its own begins a sample, and a line for each function follows,
    /// innermost first.
    init(script: String) {
        var counts: [[Substring]: Int] = [:], frames: [Substring] = []
        func end() {
            if !frames.isEmpty { counts[frames.reversed(), default: 0] += 1 }
            frames = []
        }
        for line in script.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.first?.isWhitespace == true else {
                end()
                continue
            }
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, let file = words.last else { continue }
            let name = words.dropFirst().dropLast().joined(separator: " ")
            frames.append(Substring(BenchFlame.short(name, in: file)))
        }
        end()
        stacks = counts.map { ($0.key, $0.value) }
    }

    var samples: Int { stacks.reduce(0) { $0 + $1.count } }

    private static func short(_ name: String, in file: Substring) -> String {
        let isKernel = file.contains("kernel") || file.contains("[unknown]")
        return isKernel ? "\(name)_[k]" : name
    }

    // MARK: Layers

    enum Layer: String, CaseIterable {
        case kernel, crypto, libpq, memory, swift = "Swift's runtime", network = "HTTP and NIO", pando =
            "Pando and others"

        init(_ name: Substring) {
            self =
                if name.hasSuffix("_[k]") {
                    .kernel
                } else if name.contains("BoringSSL") || name.contains("$s6Crypto") || name.contains("sha256") {
                    .crypto
                } else if name.hasPrefix("PQ") || name.hasPrefix("pq") {
                    .libpq
                } else if ["malloc", "free", "calloc", "_int_", "cfree", "mem", "__mem"].contains(where: name.hasPrefix)
                {
                    .memory
                } else if name.hasPrefix("swift_") || name.hasPrefix("_swift") || name.hasPrefix("$ss")
                    || name.contains("swift::") || name.hasPrefix("$sSS")
                { .swift } else if name.contains("NIO") || name.contains("Hummingbird") || name.contains("llhttp") {
                    .network
                } else { .pando }
        }
    }

    /// The share of each by what ran at that moment, largest first.
    var layers: [(layer: Layer, share: Double)] {
        var counts: [Layer: Int] = [:]
        for stack in stacks { if let last = stack.frames.last { counts[Layer(last), default: 0] += stack.count } }
        let all = Double(max(1, samples))
        return counts.map { ($0.key, Double($0.value) / all) }.sorted { $0.1 > $1.1 }
    }

    // MARK: Picture

    private final class Box {
        var count = 0
        var inner: [Substring: Box] = [:]
    }

    /// `names` are demangled (`swift demangle`). Boxes narrower than half a hundredth are left out.
    func svg(title: String, demangled names: [Substring: String]) -> String {
        let root = Box()
        for (frames, count) in stacks {
            var box = root
            box.count += count
            for frame in frames {
                let next = box.inner[frame] ?? Box()
                box.inner[frame] = next
                next.count += count
                box = next
            }
        }
        var boxes: [String] = [], deepest = 0
        func draw(_ box: Box, name: String, layer: Layer?, from: Double, depth: Int) {
            let width = Double(box.count) / Double(max(1, root.count))
            guard width >= 0.005 else { return }
            deepest = max(deepest, depth)
            boxes.append(BenchFlame.box(name, layer, from: from, width: width, depth: depth))
            var left = from
            for (inner, next) in box.inner.sorted(by: { $0.key < $1.key }) {
                draw(next, name: names[inner] ?? String(inner), layer: Layer(inner), from: left, depth: depth + 1)
                left += Double(next.count) / Double(max(1, root.count))
            }
        }
        draw(root, name: "all", layer: nil, from: 0, depth: 0)
        let shares = layers.map { "\($0.layer.rawValue) \(Int(($0.share * 100).rounded())) %" }.joined(separator: ", ")
        return SVG.document(
            height: 40 + (deepest + 1) * 15, fontSize: 10,
            [
                SVG.text(title, x: 6, y: 14, size: 12),
                SVG.text("\(shares), by what ran; \(samples) samples", x: 6, y: 29), SVG.group(down: 38, boxes),
            ])
    }

    private static func box(_ name: String, _ layer: Layer?, from: Double, width: Double, depth: Int) -> String {
        let x = from * 1_000, y = Double(depth * 15), letters = Int(width * 1_000 / 5.6)
        let text = letters > 3 ? SVG.text(String(name.prefix(letters)), x: x + 2, y: y + 11) : ""
        let title = SVG.escaped("\(name.prefix(120)) \(String(format: "%.1f", width * 100)) %")
        let drawn = SVG.box(x: x, y: y, width: width * 1_000, height: 14, color(layer))
        return "<g><title>\(title)</title>\(drawn)\(text)</g>"
    }

    private static func color(_ layer: Layer?) -> String {
        switch layer {
        case .kernel: "#e8a33d"
        case .crypto: "#c79bd2"
        case .libpq: "#8fbf8f"
        case .memory: "#e5d17a"
        case .swift: "#9fb8d8"
        case .network: "#a9d6d0"
        case .pando: "#e58f7b"
        case nil: "#dddddd"
        }
    }

    /// Names as people write them, without parameters.
    func demangled(in folder: URL) async throws -> [Substring: String] {
        let mangled = Array(Set(stacks.flatMap(\.frames).filter { $0.hasPrefix("$s") }))
        guard !mangled.isEmpty else { return [:] }
        let output = folder.appendingPathComponent("names"), input = folder.appendingPathComponent("mangled")
        try Data(mangled.joined(separator: "\n").utf8).write(to: input)
        let status = try await BenchProcess.run(
            URL(fileURLWithPath: "/bin/sh"), ["-c", "swift demangle --simplified --compact < \"$0\"", input.path],
            output: output, limit: 120)
        let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
        guard status == 0, lines.count == mangled.count else { return [:] }
        return Dictionary(uniqueKeysWithValues: zip(mangled, lines.map(String.init)))
    }
}
