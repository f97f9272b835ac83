// Validates files against veraPDF's profile PDF/UA-1. Prints a line per file with the number of its assertions, and one per
// failed assertion; ends with 1 if any file fails. Run with `java -cp <class path> Validate.java <files>`.

import java.io.File;
import java.io.InputStream;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;
import org.verapdf.pdfa.validation.profiles.Profiles;
import org.verapdf.pdfa.validation.profiles.ValidationProfile;
import org.verapdf.pdfa.validation.validators.ValidatorFactory;

public class Validate {
    public static void main(String[] files) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        ValidationProfile profile;
        // Loaded by name: the engine looks for its profiles in a folder, which a jar is not.
        try (InputStream xml = Profiles.class.getResourceAsStream("/org/verapdf/pdfa/validation/PDFUA-1.xml")) {
            profile = Profiles.profileFromXml(xml);
        }
        boolean allPass = files.length > 0;
        for (String file : files) {
            try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(file), PDFAFlavour.PDFUA_1);
                 PDFAValidator validator = ValidatorFactory.createValidator(profile, false)) {
                ValidationResult result = validator.validate(parser);
                allPass &= result.isCompliant();
                System.out.println((result.isCompliant() ? "pass " : "FAIL ") + file + " " + result.getTotalAssertions());
                for (TestAssertion failed : result.getTestAssertions()) {
                    System.out.println("  " + failed.getRuleId().getClause() + ": " + failed.getMessage() + " at "
                        + failed.getLocation().getContext());
                }
            }
        }
        System.exit(allPass ? 0 : 1);
    }
}
