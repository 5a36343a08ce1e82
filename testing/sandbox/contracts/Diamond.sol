// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IDiamondCut {
    enum FacetCutAction {
        Add,
        Replace,
        Remove
    }

    struct FacetCut {
        address facetAddress;
        FacetCutAction action;
        bytes4[] functionSelectors;
    }

    event DiamondCut(FacetCut[] _diamondCut, address _init, bytes _calldata);

    function diamondCut(FacetCut[] calldata _diamondCut, address _init, bytes calldata _calldata) external;
}

interface IDiamondLoupe {
    struct Facet {
        address facetAddress;
        bytes4[] functionSelectors;
    }

    function facets() external view returns (Facet[] memory);
    function facetFunctionSelectors(address facet) external view returns (bytes4[] memory);
    function facetAddresses() external view returns (address[] memory);
    function facetAddress(bytes4 selector) external view returns (address);
}

/// State and cut of an EIP-2535 diamond, at the slot that the reference implementation uses.
library DiamondStorage {
    event DiamondCut(IDiamondCut.FacetCut[] _diamondCut, address _init, bytes _calldata);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    error NotOwner();
    error SelectorTaken(bytes4 selector);
    error SelectorMissing(bytes4 selector);
    error NoCode(address facet);

    struct Layout {
        mapping(bytes4 selector => address facet) facetOf;
        bytes4[] selectors;
        mapping(bytes4 interfaceId => bool) supported;
        address owner;
    }

    bytes32 internal constant SLOT = keccak256("diamond.standard.diamond.storage");

    function layout() internal pure returns (Layout storage l) {
        bytes32 slot = SLOT;
        assembly {
            l.slot := slot
        }
    }

    function enforceOwner() internal view {
        if (msg.sender != layout().owner) revert NotOwner();
    }

    function setOwner(address owner) internal {
        emit OwnershipTransferred(layout().owner, owner);
        layout().owner = owner;
    }

    function cut(IDiamondCut.FacetCut[] memory cuts, address init, bytes memory data) internal {
        Layout storage l = layout();
        for (uint256 i; i < cuts.length; i++) {
            address facet = cuts[i].facetAddress;
            IDiamondCut.FacetCutAction action = cuts[i].action;
            if (action != IDiamondCut.FacetCutAction.Remove && facet.code.length == 0) revert NoCode(facet);
            for (uint256 j; j < cuts[i].functionSelectors.length; j++) {
                bytes4 selector = cuts[i].functionSelectors[j];
                bool present = l.facetOf[selector] != address(0);
                if (action == IDiamondCut.FacetCutAction.Add) {
                    if (present) revert SelectorTaken(selector);
                    l.selectors.push(selector);
                    l.facetOf[selector] = facet;
                } else {
                    if (!present) revert SelectorMissing(selector);
                    if (action == IDiamondCut.FacetCutAction.Replace) {
                        l.facetOf[selector] = facet;
                    } else {
                        delete l.facetOf[selector];
                        forget(l, selector);
                    }
                }
            }
        }
        emit DiamondCut(cuts, init, data);
        if (init != address(0)) {
            (bool ok, bytes memory reason) = init.delegatecall(data);
            if (!ok) {
                assembly {
                    revert(add(reason, 32), mload(reason))
                }
            }
        }
    }

    function forget(Layout storage l, bytes4 selector) private {
        uint256 last = l.selectors.length - 1;
        for (uint256 i; i <= last; i++) {
            if (l.selectors[i] == selector) {
                l.selectors[i] = l.selectors[last];
                l.selectors.pop();
                return;
            }
        }
    }
}

contract Diamond {
    constructor(address owner, IDiamondCut.FacetCut[] memory cuts) payable {
        DiamondStorage.setOwner(owner);
        DiamondStorage.layout().supported[0x01ffc9a7] = true;
        DiamondStorage.layout().supported[type(IDiamondCut).interfaceId] = true;
        DiamondStorage.layout().supported[type(IDiamondLoupe).interfaceId] = true;
        DiamondStorage.cut(cuts, address(0), "");
    }

    fallback() external payable {
        address facet = DiamondStorage.layout().facetOf[msg.sig];
        require(facet != address(0), "Diamond: no such function");
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), facet, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }

    receive() external payable {}
}

contract DiamondCutFacet is IDiamondCut {
    function diamondCut(FacetCut[] calldata cuts, address init, bytes calldata data) external {
        DiamondStorage.enforceOwner();
        DiamondStorage.cut(cuts, init, data);
    }
}

contract DiamondLoupeFacet is IDiamondLoupe {
    function facets() external view returns (Facet[] memory result) {
        address[] memory addresses = facetAddresses();
        result = new Facet[](addresses.length);
        for (uint256 i; i < addresses.length; i++) {
            result[i] = Facet(addresses[i], facetFunctionSelectors(addresses[i]));
        }
    }

    function facetFunctionSelectors(address facet) public view returns (bytes4[] memory result) {
        DiamondStorage.Layout storage l = DiamondStorage.layout();
        uint256 count;
        result = new bytes4[](l.selectors.length);
        for (uint256 i; i < l.selectors.length; i++) {
            if (l.facetOf[l.selectors[i]] == facet) result[count++] = l.selectors[i];
        }
        assembly {
            mstore(result, count)
        }
    }

    function facetAddresses() public view returns (address[] memory result) {
        DiamondStorage.Layout storage l = DiamondStorage.layout();
        uint256 count;
        result = new address[](l.selectors.length);
        for (uint256 i; i < l.selectors.length; i++) {
            address facet = l.facetOf[l.selectors[i]];
            bool seen;
            for (uint256 j; j < count; j++) seen = seen || result[j] == facet;
            if (!seen) result[count++] = facet;
        }
        assembly {
            mstore(result, count)
        }
    }

    function facetAddress(bytes4 selector) external view returns (address) {
        return DiamondStorage.layout().facetOf[selector];
    }

    function supportsInterface(bytes4 interfaceId) external view returns (bool) {
        return DiamondStorage.layout().supported[interfaceId];
    }
}

contract DiamondOwnershipFacet {
    function owner() external view returns (address) {
        return DiamondStorage.layout().owner;
    }

    function transferOwnership(address newOwner) external {
        DiamondStorage.enforceOwner();
        DiamondStorage.setOwner(newOwner);
    }
}
