import Pages

/// Words of passkeys, in all languages.
extension PasskeyStrings {
    static let english = PasskeyStrings(
        button: "Log in with a passkey", title: "Log in with a passkey",
        lead: "Your device asks you to unlock it, by fingerprint, face or PIN. These stay on your device.",
        submit: "Use a passkey",
        noScript: "Passkeys need JavaScript, which is off in this browser. Please log in another way.",
        notes: .init(
            unsupported: "This browser cannot use passkeys. Please use another one, or log in another way.",
            cancelled:
                "No passkey was used: that was cancelled, or took too long. Please try again, or log in another way.",
            exists: "This device has a passkey for your account already. You can use that one.",
            failed: "That did not work. Please check your connection and try again."
        ),
        problems: .init(
            over: "That took too long, or was answered already. Please try again.",
            refused: "This passkey could not be checked. Please try again, or log in another way.",
            unknown:
                """
                This passkey is not known here any more. Please use another one, or log in another way, and delete \
                it on your device.
                """,
            copied:
                """
                There may be a copy of this passkey, so it was refused. Please log in another way, remove it in your \
                account, and set up a new one.
                """,
            another: "This passkey is another person’s. Please use one of your own account.",
            notAllowed:
                "This account may not log in. If you think that it should, please ask the support of your institution.",
            tooMany: "There are many passkeys already. Please remove one of them in your account first.",
            taken: "This passkey is registered or linked already.",
            ended: "The login that this was for has ended. Please log in again."
        ),
        aside: .init(
            noScript: "Passkeys need JavaScript, which is off in this browser.",
            unsupported: "This browser cannot use passkeys. Please use another one.",
            cancelled: "No passkey was used: that was cancelled, or took too long. Please try again.",
            refused: "This passkey could not be checked. Please try again.",
            unknown: "This passkey is not known here. Please register it with your wallet first.",
            copied: "There may be a copy of this passkey, so it was refused. Please set up a new one."
        ),
        lost: "Have you lost your passkey? The support of your institution can remove it. Then you set up a new one.",
        none: .init(title: "No passkey is set up", text: "Your account has no passkey yet."),
        setUp: "Set up a passkey",
        setup: .init(
            title: "Set up a passkey",
            lead:
                """
                Then you can log in with your fingerprint, your face or the PIN of your device, without a password. \
                No false page can take it from you.
                """,
            submit: "Set up"
        ),
        needed: "This account asks for a login with a passkey. Please set yours up now.", name: "Name (optional)",
        hint: "So that you recognise it, for example “my laptop”",
        instead: "Set up a phone instead", passkeyInstead: "Set up a passkey instead",
        link: .init(
            title: "Link a wallet’s passkey",
            lead:
                "If your wallet has registered a passkey here, you can log in with that one too. Please show it once.",
            submit: "Use the wallet’s passkey"
        ),
        rename: .init(title: "Name this passkey", lead: "No application sees this name.", submit: "Save"),
        newName: "Name",
        section: .init(
            title: "Passkeys", lead: "With these passkeys you log in without a password.",
            effect:
                "Nobody can log in here any more with a passkey that you remove. Please delete it on your device too.",
            none: "No passkey is set up.", button: "Remove"
        ),
        kept: "Kept", oneDevice: "on one device", synced: "in your password manager", wallet: "Wallet",
        flagged: "perhaps copied",
        added: "Your passkey is set up. From now on you can log in with it.",
        addedByName:
            """
            Your passkey is set up. You can log in with it after your password: this device does not offer it by \
            itself.
            """,
        linked: "Your wallet’s passkey is linked. From now on you can log in with it.",
        renamed: "The passkey has its new name.",
        removed: "The passkey is removed. Nobody can log in here with it any more.",
        unlink: "Unlink",
        unlinked:
            """
            The wallet’s passkey is unlinked. Nobody can log in to your account with it any more; it goes on being \
            your wallet’s.
            """,
        last: "This is your last passkey, and your account needs one. Please set up another one first."
    )

    static let german = PasskeyStrings(
        button: "Mit einem Passkey anmelden", title: "Mit einem Passkey anmelden",
        lead: "Ihr Gerät fragt Sie nach Fingerabdruck, Gesicht oder PIN. Diese bleiben auf Ihrem Gerät.",
        submit: "Passkey benutzen",
        noScript:
            """
            Passkeys brauchen JavaScript, das in diesem Browser ausgeschaltet ist. Bitte melden Sie sich auf andere \
            Weise an.
            """,
        notes: .init(
            unsupported:
                """
                Dieser Browser kann keine Passkeys benutzen. Bitte nehmen Sie einen anderen, oder melden Sie sich \
                auf andere Weise an.
                """,
            cancelled:
                """
                Es wurde kein Passkey benutzt: abgebrochen, oder es dauerte zu lange. Bitte versuchen Sie es erneut, \
                oder melden Sie sich auf andere Weise an.
                """,
            exists: "Dieses Gerät hat schon einen Passkey für Ihr Konto. Sie können diesen benutzen.",
            failed: "Das hat nicht geklappt. Bitte prüfen Sie Ihre Verbindung und versuchen Sie es erneut."
        ),
        problems: .init(
            over: "Das hat zu lange gedauert, oder es wurde schon geantwortet. Bitte versuchen Sie es erneut.",
            refused:
                """
                Dieser Passkey konnte nicht geprüft werden. Bitte versuchen Sie es erneut, oder melden Sie sich auf \
                andere Weise an.
                """,
            unknown: """
                Dieser Passkey ist hier nicht mehr bekannt. Bitte benutzen Sie einen anderen oder melden Sie sich \
                auf andere Weise an, \
                und löschen Sie ihn auf Ihrem Gerät.
                """,
            copied: """
                Von diesem Passkey gibt es vielleicht eine Kopie; er wurde deshalb abgelehnt. Bitte melden Sie sich \
                auf andere Weise an, \
                entfernen Sie ihn in Ihrem Konto und richten Sie einen neuen ein.
                """,
            another: "Dieser Passkey gehört einer anderen Person. Bitte benutzen Sie einen Ihres eigenen Kontos.",
            notAllowed:
                """
                Dieses Konto darf sich nicht anmelden. Wenn Sie meinen, dass es das dürfen sollte, wenden Sie sich \
                bitte an den Support Ihrer Institution.
                """,
            tooMany: "Es sind schon viele Passkeys. Bitte entfernen Sie zuerst einen davon in Ihrem Konto.",
            taken: "Dieser Passkey ist schon registriert oder verbunden.",
            ended: "Die Anmeldung, für die das war, ist beendet. Bitte melden Sie sich erneut an."
        ),
        aside: .init(
            noScript: "Passkeys brauchen JavaScript, das in diesem Browser ausgeschaltet ist.",
            unsupported: "Dieser Browser kann keine Passkeys benutzen. Bitte nehmen Sie einen anderen.",
            cancelled:
                "Es wurde kein Passkey benutzt: abgebrochen, oder es dauerte zu lange. Bitte versuchen Sie es erneut.",
            refused: "Dieser Passkey konnte nicht geprüft werden. Bitte versuchen Sie es erneut.",
            unknown: "Dieser Passkey ist hier nicht bekannt. Bitte registrieren Sie ihn zuerst mit Ihrer Wallet.",
            copied:
                """
                Von diesem Passkey gibt es vielleicht eine Kopie; er wurde deshalb abgelehnt. Bitte richten Sie \
                einen neuen ein.
                """
        ),
        lost:
            """
            Haben Sie Ihren Passkey verloren? Der Support Ihrer Institution kann ihn entfernen. Danach richten Sie \
            einen neuen ein.
            """,
        none: .init(title: "Es ist kein Passkey eingerichtet", text: "Ihr Konto hat noch keinen Passkey."),
        setUp: "Passkey einrichten",
        setup: .init(
            title: "Passkey einrichten",
            lead:
                """
                Danach melden Sie sich mit Fingerabdruck, Gesicht oder der PIN Ihres Geräts an, ohne Passwort. Keine \
                falsche Seite kann ihn Ihnen entlocken.
                """,
            submit: "Einrichten"
        ),
        needed: "Dieses Konto verlangt eine Anmeldung mit einem Passkey. Bitte richten Sie Ihren jetzt ein.",
        name: "Name (freiwillig)",
        hint: "Damit Sie ihn wiedererkennen, zum Beispiel «mein Laptop»", instead: "Stattdessen ein Telefon einrichten",
        passkeyInstead: "Stattdessen einen Passkey einrichten",
        link: .init(
            title: "Passkey einer Wallet verbinden",
            lead:
                """
                Hat Ihre Wallet hier einen Passkey registriert, können Sie sich auch mit diesem anmelden. Bitte \
                zeigen Sie ihn einmal.
                """,
            submit: "Passkey der Wallet benutzen"
        ),
        rename: .init(title: "Passkey benennen", lead: "Keine Anwendung sieht diesen Namen.", submit: "Speichern"),
        newName: "Name",
        section: .init(
            title: "Passkeys", lead: "Mit diesen Passkeys melden Sie sich ohne Passwort an.",
            effect:
                """
                Mit einem entfernten Passkey kann sich hier niemand mehr anmelden. Bitte löschen Sie ihn auch auf \
                Ihrem Gerät.
                """,
            none: "Es ist kein Passkey eingerichtet.", button: "Entfernen"
        ),
        kept: "Aufbewahrt", oneDevice: "auf einem Gerät", synced: "in Ihrem Passwortmanager", wallet: "Wallet",
        flagged: "vielleicht kopiert",
        added: "Ihr Passkey ist eingerichtet. Sie können sich ab jetzt damit anmelden.",
        addedByName:
            """
            Ihr Passkey ist eingerichtet. Sie können sich nach Ihrem Passwort damit anmelden: Dieses Gerät bietet \
            ihn nicht von selbst an.
            """,
        linked: "Der Passkey Ihrer Wallet ist verbunden. Sie können sich ab jetzt damit anmelden.",
        renamed: "Der Passkey hat seinen neuen Namen.",
        removed: "Der Passkey ist entfernt. Niemand kann sich hier mehr damit anmelden.",
        unlink: "Trennen",
        unlinked:
            """
            Der Passkey der Wallet ist getrennt. Niemand kann sich mehr damit in Ihrem Konto anmelden; Ihrer Wallet \
            bleibt er.
            """,
        last: "Dies ist Ihr letzter Passkey, und Ihr Konto braucht einen. Bitte richten Sie zuerst einen anderen ein."
    )

    static let french = PasskeyStrings(
        button: "Se connecter avec une clé d’accès", title: "Se connecter avec une clé d’accès",
        lead:
            """
            Votre appareil vous demande votre empreinte, votre visage ou votre code PIN. Ceux-ci ne quittent pas \
            l’appareil.
            """,
        submit: "Utiliser une clé d’accès",
        noScript:
            """
            Les clés d’accès ont besoin de JavaScript, désactivé dans ce navigateur. Veuillez vous connecter \
            autrement.
            """,
        notes: .init(
            unsupported:
                """
                Ce navigateur ne sait pas utiliser les clés d’accès. Veuillez en utiliser un autre ou vous connecter \
                autrement.
                """,
            cancelled:
                """
                Aucune clé d’accès n’a été utilisée\u{A0}: annulation, ou délai dépassé. Veuillez réessayer ou vous \
                connecter autrement.
                """,
            exists: "Cet appareil a déjà une clé d’accès pour votre compte. Vous pouvez l’utiliser.",
            failed: "Cela n’a pas fonctionné. Veuillez vérifier votre connexion et réessayer."
        ),
        problems: .init(
            over: "Cela a duré trop longtemps, ou une réponse a déjà été donnée. Veuillez réessayer.",
            refused: "Cette clé d’accès n’a pas pu être vérifiée. Veuillez réessayer ou vous connecter autrement.",
            unknown: """
                Cette clé d’accès n’est plus connue ici. Veuillez en utiliser une autre ou vous connecter autrement, \
                et la supprimer de \
                votre appareil.
                """,
            copied: """
                Il existe peut-être une copie de cette clé d’accès\u{A0}: elle a été refusée. Veuillez vous \
                connecter autrement, la retirer \
                dans votre compte et en configurer une nouvelle.
                """,
            another:
                "Cette clé d’accès est celle d’une autre personne. Veuillez en utiliser une de votre propre compte.",
            notAllowed:
                """
                Ce compte n’est pas autorisé à se connecter. Si vous pensez qu’il devrait l’être, adressez-vous à \
                l’assistance de votre institution.
                """,
            tooMany: "Il y a déjà beaucoup de clés d’accès. Veuillez d’abord en retirer une dans votre compte.",
            taken: "Cette clé d’accès est déjà enregistrée ou liée.",
            ended: "La connexion dont il s’agissait est terminée. Veuillez vous connecter à nouveau."
        ),
        aside: .init(
            noScript: "Les clés d’accès ont besoin de JavaScript, désactivé dans ce navigateur.",
            unsupported: "Ce navigateur ne sait pas utiliser les clés d’accès. Veuillez en utiliser un autre.",
            cancelled: "Aucune clé d’accès n’a été utilisée\u{A0}: annulation, ou délai dépassé. Veuillez réessayer.",
            refused: "Cette clé d’accès n’a pas pu être vérifiée. Veuillez réessayer.",
            unknown: "Cette clé d’accès n’est pas connue ici. Veuillez d’abord l’enregistrer avec votre portefeuille.",
            copied:
                """
                Il existe peut-être une copie de cette clé d’accès\u{A0}: elle a été refusée. Veuillez en configurer \
                une nouvelle.
                """
        ),
        lost:
            """
            Avez-vous perdu votre clé d’accès\u{A0}? L’assistance de votre institution peut la retirer. Vous en \
            configurez ensuite une nouvelle.
            """,
        none: .init(title: "Aucune clé d’accès n’est configurée", text: "Votre compte n’a pas encore de clé d’accès."),
        setUp: "Configurer une clé d’accès",
        setup: .init(
            title: "Configurer une clé d’accès",
            lead: """
                Vous pourrez ensuite vous connecter avec votre empreinte, votre visage ou le code PIN de votre \
                appareil, sans mot de passe. \
                Aucune fausse page ne peut vous la soutirer.
                """,
            submit: "Configurer"
        ),
        needed: "Ce compte exige une connexion avec une clé d’accès. Veuillez configurer la vôtre maintenant.",
        name: "Nom (facultatif)",
        hint: "Pour la reconnaître, par exemple «\u{A0}mon portable\u{A0}»", instead: "Configurer plutôt un téléphone",
        passkeyInstead: "Configurer plutôt une clé d’accès",
        link: .init(
            title: "Lier la clé d’accès d’un portefeuille",
            lead:
                """
                Si votre portefeuille a enregistré ici une clé d’accès, vous pouvez aussi vous connecter avec elle. \
                Veuillez la présenter une fois.
                """,
            submit: "Utiliser la clé du portefeuille"
        ),
        rename: .init(
            title: "Nommer cette clé d’accès", lead: "Aucune application ne voit ce nom.", submit: "Enregistrer"),
        newName: "Nom",
        section: .init(
            title: "Clés d’accès", lead: "Avec ces clés d’accès, vous vous connectez sans mot de passe.",
            effect:
                """
                Plus personne ne peut se connecter ici avec une clé retirée. Veuillez la supprimer aussi de votre \
                appareil.
                """,
            none: "Aucune clé d’accès n’est configurée.", button: "Retirer"
        ),
        kept: "Conservée", oneDevice: "sur un seul appareil", synced: "dans votre gestionnaire de mots de passe",
        wallet: "Portefeuille", flagged: "peut-être copiée",
        added: "Votre clé d’accès est configurée. Vous pouvez désormais vous connecter avec elle.",
        addedByName:
            """
            Votre clé d’accès est configurée. Vous pouvez vous connecter avec elle après votre mot de passe\u{A0}: \
            cet appareil ne la propose pas de lui-même.
            """,
        linked: "La clé d’accès de votre portefeuille est liée. Vous pouvez désormais vous connecter avec elle.",
        renamed: "La clé d’accès a son nouveau nom.",
        removed: "La clé d’accès est retirée. Plus personne ne peut se connecter ici avec elle.",
        unlink: "Délier",
        unlinked:
            """
            La clé d’accès du portefeuille est déliée. Plus personne ne peut se connecter à votre compte avec \
            elle\u{A0}; votre portefeuille la garde.
            """,
        last:
            "C’est votre dernière clé d’accès, et votre compte en exige une. Veuillez d’abord en configurer une autre."
    )

    static let italian = PasskeyStrings(
        button: "Accedere con una passkey", title: "Accedere con una passkey",
        lead: "Il dispositivo Le chiede l’impronta, il volto o il PIN. Questi restano sul dispositivo.",
        submit: "Usare una passkey",
        noScript:
            """
            Le passkey richiedono JavaScript, che è disattivato in questo browser. La preghiamo di accedere in un \
            altro modo.
            """,
        notes: .init(
            unsupported:
                """
                Questo browser non può usare le passkey. La preghiamo di usarne un altro o di accedere in un altro \
                modo.
                """,
            cancelled:
                """
                Nessuna passkey è stata usata: annullata, oppure tempo scaduto. La preghiamo di riprovare o di \
                accedere in un altro modo.
                """,
            exists: "Questo dispositivo ha già una passkey per il Suo account. Può usare quella.",
            failed: "Non ha funzionato. La preghiamo di verificare la connessione e di riprovare."
        ),
        problems: .init(
            over: "È passato troppo tempo, oppure la risposta è già stata data. La preghiamo di riprovare.",
            refused:
                """
                Non è stato possibile verificare questa passkey. La preghiamo di riprovare o di accedere in un altro \
                modo.
                """,
            unknown:
                """
                Questa passkey qui non è più conosciuta. Ne usi un’altra o acceda in un altro modo, e la elimini dal \
                dispositivo.
                """,
            copied: """
                Di questa passkey esiste forse una copia: è stata quindi rifiutata. La preghiamo di accedere in un \
                altro modo, di rimuoverla \
                nel Suo account e di configurarne una nuova.
                """,
            another: "Questa passkey è di un’altra persona. La preghiamo di usarne una del Suo account.",
            notAllowed:
                """
                Questo account non è autorizzato ad accedere. Se ritiene che dovrebbe esserlo, La preghiamo di \
                rivolgersi all’assistenza della Sua istituzione.
                """,
            tooMany: "Le passkey sono già molte. La preghiamo di rimuoverne prima una nel Suo account.",
            taken: "Questa passkey è già registrata o collegata.",
            ended: "L’accesso per cui serviva è terminato. La preghiamo di accedere di nuovo."
        ),
        aside: .init(
            noScript: "Le passkey richiedono JavaScript, che è disattivato in questo browser.",
            unsupported: "Questo browser non può usare le passkey. La preghiamo di usarne un altro.",
            cancelled: "Nessuna passkey è stata usata: annullata, oppure tempo scaduto. La preghiamo di riprovare.",
            refused: "Non è stato possibile verificare questa passkey. La preghiamo di riprovare.",
            unknown: "Questa passkey qui non è conosciuta. La preghiamo di registrarla prima con il Suo wallet.",
            copied:
                """
                Di questa passkey esiste forse una copia: è stata quindi rifiutata. La preghiamo di configurarne una \
                nuova.
                """
        ),
        lost: "Ha perso la Sua passkey? L’assistenza della Sua istituzione può rimuoverla. Poi ne configura una nuova.",
        none: .init(title: "Nessuna passkey è configurata", text: "Il Suo account non ha ancora una passkey."),
        setUp: "Configurare una passkey",
        setup: .init(
            title: "Configurare una passkey",
            lead:
                """
                In seguito potrà accedere con l’impronta, il volto o il PIN del dispositivo, senza password. Nessuna \
                pagina falsa può sottrargliela.
                """,
            submit: "Configurare"
        ),
        needed: "Questo account richiede l’accesso con una passkey. La preghiamo di configurare ora la Sua.",
        name: "Nome (facoltativo)",
        hint: "Per riconoscerla, per esempio «il mio portatile»", instead: "Configurare invece un telefono",
        passkeyInstead: "Configurare invece una passkey",
        link: .init(
            title: "Collegare la passkey di un wallet",
            lead:
                """
                Se il Suo wallet ha registrato qui una passkey, può accedere anche con quella. La preghiamo di \
                mostrarla una volta.
                """,
            submit: "Usare la passkey del wallet"
        ),
        rename: .init(
            title: "Dare un nome alla passkey", lead: "Nessuna applicazione vede questo nome.", submit: "Salvare"),
        newName: "Nome",
        section: .init(
            title: "Passkey", lead: "Con queste passkey accede senza password.",
            effect:
                """
                Con una passkey rimossa nessuno può più accedere qui. La preghiamo di eliminarla anche dal \
                dispositivo.
                """,
            none: "Nessuna passkey è configurata.",
            button: "Rimuovere"
        ),
        kept: "Conservata", oneDevice: "su un solo dispositivo", synced: "nel Suo gestore di password",
        wallet: "Wallet", flagged: "forse copiata",
        added: "La passkey è configurata. Da ora può accedere con essa.",
        addedByName:
            "La passkey è configurata. Può accedere con essa dopo la password: questo dispositivo non la propone da sé.",
        linked: "La passkey del Suo wallet è collegata. Da ora può accedere con essa.",
        renamed: "La passkey ha il nuovo nome.",
        removed: "La passkey è stata rimossa. Nessuno può più accedere qui con essa.",
        unlink: "Scollegare",
        unlinked:
            "La passkey del wallet è scollegata. Nessuno può più accedere al Suo account con essa; resta al Suo wallet.",
        last:
            """
            Questa è la Sua ultima passkey e il Suo account ne richiede una. La preghiamo di configurarne prima \
            un’altra.
            """
    )
}
