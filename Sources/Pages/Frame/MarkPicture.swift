import Foundation

/// The mark as a small PNG on white, 128 by 128: for apps that show a service's logo and read no SVG. The drawing is
/// `Mark`'s.
public enum MarkPicture {
    public static let png: [UInt8] = Data(base64Encoded: text).map { Array($0) } ?? []

    private static let text = """
        iVBORw0KGgoAAAANSUhEUgAAAIAAAACABAMAAAAxEHz4AAAAGFBMVEX////x9vPw9fO+1cluoYdGh2YyelYba0MOIzfFAAADz0lEQVR42u2Y\
        MVPbMBTHn6X0yjEZyF3vmMwl3R2S7k1DF7YWpn7G9h\
        NgoDupk60LLpp6DAS8tFMjd3ASS3pPkgVrtAQ71t+/96T/eyIA27Ed/sFTzwPM8/1o8jIBnvoQPALDOBq+RIAPAA7SFwiMYoDInQXu+rLzBQ\
        CAvRLPJGBn9ee75JkCo9VENnleCHUAAAC7jiDsAvw8\
        3vx9+Pc+PIShEjkbhhO8PVWvdt/8DBTgZzva9f6f+yAB9tFYuujodxmSgxHav3wSQtA/xfd2X9+1FuDnO8TdQzINvE0CXGlgrRLgSAN3bWGU\
        BmJLM6sHqUH4klk9SC76xB+CPQA6COZ/h5vPFOh5qj\
        g/dodgeggP01XM7AO+Xmf2CV2Aj/3dsps6BEZt+u3ELsDftxHopFaBVgAGgroKHO+hKpsdonVh6kKoBETpfciLa6Jg0yGwAX40Byjw3YOEFO\
        DEHigBKmIvpKTAByJfAkBSNZMS8B6n6KNXI9ALObwd\
        EwJHIQL7WCAkAgCeIAEGQSNF847DBHpIIAkTQOQ8VCA1BKLQU3hsCBi7oLr4Wrqum5x1DMGNC4F9Vq5vc+CfdD8YBAl2odJCJHYl0z/NHJb1\
        pPUoBHLlOouW/VOCiiBzIG2tCJiLkICKUAjiVbEmYH\
        47AAWhVjog3tHMNK3YjRWEQgBANKYNychVBDZuEGqdrrlVI6cA9BuEGgAVvMjt4hXCak8QAMYq4IJcI6wKKwFgJ1hte6YlrZuQhlC8gG3Qj5\
        unawBsCDKEtQ1UhG6CDWFdhY0N+rEOYBjCmoONDRqE\
        DQBhCCzQ2GCN0ABQB9vmtcgGa4QGQDWEtAkoNqgRFIBo3OawPTYQFIBu0iIE1Qb9TdvHhqisXlAR9KxShiAIVAStJumGqOwCajFQa5IOoAvc\
        gROBKgmPmoAEFwKZAaEJVOBCIGtS6RLQEegl0AWkcC\
        CQAFIPAURoVZbGVp6FVuWFISBDq7LwCHirMhKYkwhaTVLH0hSAOxJBK4rEPlQECnAgYBvmSGAp7AgYoIm4qQczOwIGWBAlrQAbAtEYc0JgOb\
        chYADlWaWkXVoQCIApWZWloBEwgPokM+sW/ucKAxS0\
        gHZf+RYD5JbGIr+1O6jfCFtn+jdvM3/53d7astI/v8ocvXF56ReYzl3N9fbaN//hyt2dpzP3/MWlp73LzJnIZSZ8xzx5UQ3s78+E/4Ahsyvb\
        /Fs8nzhogrx5PInJ9cup33SoNxVigH7Sqn4syOx06F\
        xNZ4Neom3/hSW5HVu6p9Pe3l4MAPCrenrKYTu2Yzu2wzf+A0fRQrp2rF7wAAAAAElFTkSuQmCC
        """
}
